-- For programs in any language: publishes events, all or none, in the transaction of the caller.
--
-- events   An array of objects like the lines of `penstock publish --ndjson`: type, payload (any
--          JSON) or payload_base64, and key, id, headers, content_type where wanted. An empty key
--          or id is an absent one.
-- Returns: ordinal (from 1, in order), id, created (false: it was there), handlers that got a
--          delivery.
-- Raises:  PS001, naming the event by its place; nothing was written then.
-- Locks:   as publish_batch.
-- Odd:     an id has to be a UUID: the server lacks the hash by which the command line makes one of
--          other ids.
create or replace function :"schema".:"publish_many"(events jsonb)
returns table(ordinal integer, id uuid, created boolean, handlers text[])
language plpgsql
set search_path = pg_catalog, pg_temp
as $body$
#variable_conflict use_column
declare
  v_texts constant text[] := array['type', 'key', 'id', 'content_type', 'payload_base64'];
  v_known constant text[] := v_texts || array['payload', 'headers'];
  v_ids uuid[] := '{}';
  v_types text[] := '{}';
  v_keys text[] := '{}';
  v_content_types text[] := '{}';
  v_headers jsonb[] := '{}';
  v_payloads bytea[] := '{}';
  v_event jsonb;
  v_ordinal bigint;
  v_problem text;
begin
  if jsonb_typeof(:"publish_many".events) is distinct from 'array' then
    raise exception using errcode = 'PS001', message = format(
      'expected an array of events, found %s',
      coalesce(jsonb_typeof(:"publish_many".events), 'null'));
  end if;
  for v_event, v_ordinal in
    select e.event, e.ordinal
    from jsonb_array_elements(:"publish_many".events) with ordinality e(event, ordinal)
  loop
    if jsonb_typeof(v_event) <> 'object' then
      v_problem := format('expected an object, found %s', jsonb_typeof(v_event));
    else
      select case
        when m.name <> all(v_known) then
          format('expected type, key, id, headers, content_type, payload or payload_base64, '
                 'found "%s"', m.name)
        else format('%s: expected a string, found %s', m.name, jsonb_typeof(m.value))
      end
      into v_problem
      from jsonb_each(v_event) m(name, value)
      where m.name <> all(v_known) or (m.name = any(v_texts) and jsonb_typeof(m.value) <> 'string')
      limit 1;
    end if;
    if v_problem is null and v_event ->> 'id' <> ''
       and v_event ->> 'id' !~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' then
      v_problem := format('id: expected a UUID, found "%s"', v_event ->> 'id');
    end if;
    if v_problem is not null then
      raise exception using errcode = 'PS001',
        message = format('event %s: %s', v_ordinal, v_problem);
    end if;
    v_ids := v_ids || nullif(v_event ->> 'id', '')::uuid;
    v_types := v_types || (v_event ->> 'type');
    v_keys := v_keys || nullif(v_event ->> 'key', '');
    v_content_types := v_content_types || (v_event ->> 'content_type');
    v_headers := v_headers || array[v_event -> 'headers'];
    v_payloads := v_payloads
      || :"schema".:"payload_of"(format('event %s: ', v_ordinal), v_event);
  end loop;

  return query
    select p.ordinal, p.id, p.created, p.handlers
    from :"schema".:"publish_checked"(
      v_ids, v_types, v_keys, v_content_types, v_headers, v_payloads) p
    order by p.ordinal;
end
$body$;
