-- Checks events, draws the ids that are missing and publishes: what publish(), publish_many() and
-- the C++ adapters for other drivers share. Nothing is written before all are checked.
--
-- ids, types, keys, content_types, headers, payloads   One element per event. Null: an id to be
--           drawn, no key, application/json, no headers.
-- Returns: ordinal (from 1, in order), id, created (false: a duplicate), handlers that got a
--          delivery.
-- Raises:  PS001.
-- Locks:   as publish_batch.
-- Index:   as publish_batch.
-- Odd:     chunks keep the cost of repeated ids linear.
create or replace function :"schema".:"publish_checked"(
  ids uuid[], types text[], keys text[], content_types text[], headers jsonb[], payloads bytea[])
returns table(ordinal integer, id uuid, created boolean, handlers text[])
language plpgsql
set search_path = pg_catalog, pg_temp
as $body$
#variable_conflict use_column
declare
  v_chunk constant integer := 1000;
  v_count constant integer := cardinality(:"publish_checked".types);
  v_ids uuid[];
  v_content_types text[];
  v_headers jsonb[];
  v_last integer;
begin
  select array_agg(coalesce(u.id, :"schema".:"new_event_id"()) order by u.place),
         array_agg(coalesce(u.content_type, 'application/json') order by u.place),
         array_agg(coalesce(u.headers, '{}') order by u.place)
  into v_ids, v_content_types, v_headers
  from unnest(:"publish_checked".ids, :"publish_checked".content_types, :"publish_checked".headers)
    with ordinality u(id, content_type, headers, place);

  perform :"schema".:"check_event"(
    case when v_count > 1 then format('event %s: ', u.place) else '' end,
    u.type, u.key, u.content_type, u.headers, u.payload)
  from unnest(:"publish_checked".types, :"publish_checked".keys, v_content_types, v_headers,
              :"publish_checked".payloads)
    with ordinality u(type, key, content_type, headers, payload, place);

  if v_count = 1 then
    return query
      select 1, v_ids[1], p.created, p.handlers
      from :"schema".:"publish_one"(
        v_ids[1], :"publish_checked".types[1], :"publish_checked".keys[1], v_content_types[1],
        v_headers[1], :"publish_checked".payloads[1], null) p;
    return;
  end if;
  for v_first in 1 .. v_count by v_chunk loop
    v_last := least(v_first + v_chunk - 1, v_count);
    return query
      select v_first - 1 + b.ordinal, v_ids[v_first - 1 + b.ordinal], b.created, b.handlers
      from :"schema".:"publish_batch"(
        v_ids[v_first:v_last], :"publish_checked".types[v_first:v_last],
        :"publish_checked".keys[v_first:v_last], v_content_types[v_first:v_last],
        v_headers[v_first:v_last], :"publish_checked".payloads[v_first:v_last], null) b
      order by b.ordinal;
  end loop;
end
$body$;
