-- Purpose:    upgrade from 0.1.0, step 3, when the new tables and functions are there: fills the
--             tables from the old ones, which go.
-- Parameters: none.
-- Columns:    none.
-- Locks:      all of its tables are new or set aside in this transaction.
-- Index:      none. Those of the new tables but their primary keys are made again at the end:
--             sorting once is faster than inserting row by row.
-- Oddity:     the helpers are ordinary functions: a temporary one would belong to the session.
--
-- Texts stay as they are, also where they break a limit of today, which is for what is published
-- from now on. Times stay too.
set local statement_timeout = 0;
-- The sizes of new tables are guesses. One side of each join is everything.
set local enable_nestloop = off;

-- JSON without the blanks that PostgreSQL writes after commas and colons: those between texts, which
-- are every second piece between quotes. Escaped quotes are out of the way meanwhile, as control
-- characters, which JSON never contains as such.
create function :"schema".:"upgrade_compact"(value jsonb) returns text
language plpgsql immutable strict parallel safe
set search_path = pg_catalog, pg_temp
as $body$
declare
  v_pieces text[] := string_to_array(
    replace(replace(value::text, E'\\\\', chr(1)), E'\\"', chr(2)), '"');
begin
  for i in 1 .. cardinality(v_pieces) by 2 loop
    v_pieces[i] := replace(replace(v_pieces[i], ': ', ':'), ', ', ',');
  end loop;
  return replace(replace(array_to_string(v_pieces, '"'), chr(2), E'\\"'), chr(1), E'\\\\');
end
$body$;

-- Headers as an object of texts: any other value becomes its JSON, and what is no object at all goes
-- into one header.
create function :"schema".:"upgrade_headers"(headers jsonb, original_id text) returns jsonb
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $body$
declare
  v_headers jsonb := headers;
begin
  if jsonb_typeof(headers) = 'null' then
    v_headers := '{}';
  elsif jsonb_typeof(headers) <> 'object' then
    v_headers := jsonb_build_object('penstock-original-headers',
                                    :"schema".:"upgrade_compact"(headers));
  elsif jsonb_path_exists(headers, 'strict $.* ? (@.type() != "string")') then
    select jsonb_object_agg(h.key, case jsonb_typeof(h.value) when 'string' then h.value
                                   else to_jsonb(:"schema".:"upgrade_compact"(h.value)) end)
    into v_headers from jsonb_each(headers) h;
  end if;
  if original_id is not null then
    v_headers := v_headers || jsonb_build_object('penstock-original-id', original_id);
  end if;
  return v_headers;
end
$body$;

-- The UUIDv5 of an id that is no UUID: EventId::from_foreign("ndjson", id), so that publishing the
-- same id again by NDJSON or on the command line meets the event. SHA-1, because PostgreSQL has it
-- in extensions only.
create function :"schema".:"upgrade_foreign_id"(id text) returns uuid
language plpgsql immutable strict parallel safe
set search_path = pg_catalog, pg_temp
as $body$
declare
  v_mask constant bigint := 4294967295;
  v_bytes bytea := decode('5e3c1d0a7b444f6e9a210c8d52e7b319', 'hex')
                   || convert_to('6:ndjson' || id, 'UTF8');
  h0 bigint := 1732584193; h1 bigint := 4023233417; h2 bigint := 2562383102;
  h3 bigint := 271733878;  h4 bigint := 3285377520;
  a bigint; b bigint; c bigint; d bigint; e bigint; x bigint;
  w bigint[];
begin
  v_bytes := v_bytes || decode('80' || repeat('00', (119 - length(v_bytes) % 64) % 64), 'hex')
             || int8send(length(v_bytes) * 8::bigint);
  for v_block in 0 .. length(v_bytes) / 64 - 1 loop
    w := array_fill(0::bigint, array[80]);
    for i in 1 .. 80 loop
      if i <= 16 then
        w[i] := ('x' || encode(substr(v_bytes, v_block * 64 + i * 4 - 3, 4), 'hex'))::bit(32)::bigint;
      else
        x := w[i - 3] # w[i - 8] # w[i - 14] # w[i - 16];
        w[i] := ((x << 1) | (x >> 31)) & v_mask;
      end if;
    end loop;
    a := h0; b := h1; c := h2; d := h3; e := h4;
    for i in 1 .. 80 loop
      if i <= 20 then
        x := (d # (b & (c # d))) + 1518500249;
      elsif i <= 40 then
        x := (b # c # d) + 1859775393;
      elsif i <= 60 then
        x := ((b & c) | (d & (b | c))) + 2400959708;
      else
        x := (b # c # d) + 3395469782;
      end if;
      x := (((a << 5) | (a >> 27)) & v_mask) + x + e + w[i];
      e := d;
      d := c;
      c := ((b << 30) | (b >> 2)) & v_mask;
      b := a;
      a := x & v_mask;
    end loop;
    h0 := (h0 + a) & v_mask; h1 := (h1 + b) & v_mask; h2 := (h2 + c) & v_mask;
    h3 := (h3 + d) & v_mask; h4 := (h4 + e) & v_mask;
  end loop;
  -- Version 5 and the variant, in the third and the fifth group.
  return (lpad(to_hex(h0), 8, '0')
          || lpad(to_hex((h1 & 4294905855) | 20480), 8, '0')
          || lpad(to_hex((h2 & 1073741823) | 2147483648), 8, '0')
          || lpad(to_hex(h3), 8, '0'))::uuid;
end
$body$;

create table :"schema".:"upgrade_indexes" as
  select i.indexrelid::regclass::oid as index, pg_get_indexdef(i.indexrelid) as definition
  from pg_index i
  where not i.indisprimary
    and i.indrelid in (format('%I.%I', :'schema', :'events')::regclass,
                       format('%I.%I', :'schema', :'deliveries')::regclass);
do $upgrade$
declare
  v_index oid;
begin
  for v_index in select u.index from :"schema".:"upgrade_indexes" u loop
    execute format('drop index %s', v_index::regclass);
  end loop;
end
$upgrade$;

-- New ids of the events whose id is not the canonical text of a UUID. A UUID in upper case is the
-- same one; but where two differ by nothing else, one of them only can have it.
create table :"schema".:"upgrade_ids" as
  select o.id as old_id, o.is_foreign,
         case when o.is_foreign then :"schema".:"upgrade_foreign_id"(o.id) else o.id::uuid end as new_id
  from (select e.id,
               e.id !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' or same.id is not null
               or row_number() over (partition by lower(e.id) order by e.id) > 1 as is_foreign
        from :"schema".:"old_events" e
        left join :"schema".:"old_events" same on same.id = lower(e.id) and same.id <> e.id
        where e.id !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$') o;

insert into :"schema".:"events"
  (id, created_at, type, key, content_type, headers, handlers, payload)
select coalesce(i.new_id, e.id::uuid), e.created_at, e.type, e.key, 'application/json',
       :"schema".:"upgrade_headers"(e.headers, case when i.is_foreign then e.id end),
       coalesce(d.handlers, '{}'),
       convert_to(:"schema".:"upgrade_compact"(e.payload), 'UTF8')
from :"schema".:"old_events" e
left join :"schema".:"upgrade_ids" i on i.old_id = e.id
left join (select d.event_id, array_agg(d.handler order by d.handler) as handlers
           from :"schema".:"old_deliveries" d group by d.event_id) d on d.event_id = e.id;

-- Ids are drawn in the order of creation, and within a key in that of the sequence. 0.1.0 counted an
-- attempt when it was claimed, so a running one stays counted; it is due at once.
insert into :"schema".:"deliveries"
  (event_id, handler, key, sequence, lane, status, attempts, available_at, created_at, updated_at,
   last_error)
select n.event_id, n.handler, n.key, n.sequence,
       :"schema".:"lane_of"(coalesce(n.key, n.event_id::text)), n.status, n.attempts,
       n.available_at, n.created_at, n.updated_at, n.last_error
from (select coalesce(i.new_id, d.event_id::uuid) as event_id, d.handler, d.key,
             case when d.key is not null then coalesce(d.sequence, 0) end as sequence,
             case d.status when 'processing' then 'pending' else d.status end as status, d.attempts,
             case d.status when 'processing' then least(d.available_at, :"schema".:"now"())
                  else d.available_at end as available_at,
             d.created_at,
             case d.status when 'completed' then coalesce(d.completed_at, d.updated_at)
                  else d.updated_at end as updated_at,
             coalesce(d.last_error, '') as last_error,
             case when d.key is null then d.created_at
                  else max(d.created_at) over (partition by d.key order by d.sequence
                                               rows unbounded preceding) end as turn,
             d.id as old_id
      from :"schema".:"old_deliveries" d
      left join :"schema".:"upgrade_ids" i on i.old_id = d.event_id) n
order by n.turn, n.sequence, n.old_id;

-- The highest number that was given, whichever table knows it.
insert into :"schema".:"keys"(key, sequence, used_at)
select k.key, max(k.sequence), :"schema".:"now"()
from (select k.key, k.sequence from :"schema".:"old_keys" k
      union all
      select d.key, coalesce(d.sequence, 0) from :"schema".:"old_deliveries" d
      where d.key is not null) k
group by k.key;

-- Between which ids purge looks for completed deliveries.
insert into :"schema".:"meta"(name, value)
select v.name, v.value
from (select min(d.id) as first, max(d.id) as last
      from :"schema".:"deliveries" d where d.status = 'completed') d,
  lateral (values ('old_completed_from', d.first), ('old_completed_to', d.last)) v(name, value)
where d.first is not null;

do $upgrade$
declare
  v_definition text;
begin
  for v_definition in select u.definition from :"schema".:"upgrade_indexes" u loop
    execute v_definition;
  end loop;
end
$upgrade$;

drop table :"schema".:"old_deliveries", :"schema".:"old_keys", :"schema".:"old_events",
  :"schema".:"upgrade_ids", :"schema".:"upgrade_indexes";
drop function :"schema".:"upgrade_headers", :"schema".:"upgrade_compact",
  :"schema".:"upgrade_foreign_id";
