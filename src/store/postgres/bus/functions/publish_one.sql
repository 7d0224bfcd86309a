-- Stores one event, and a delivery of it for each handler subscribed to its type: what
-- publish_batch() does for many, in a third of its time.
--
-- lane     Null: worked out here.
-- The others are as publish_batch() has them, one each.
-- Returns: created (false: the id was there already), handlers that got a delivery.
-- Locks:   the row of the key, to the end of the transaction.
-- Index:   the primary keys of events and keys.
create or replace function :"schema".:"publish_one"(
  id uuid, type text, key text, content_type text, headers jsonb, payload bytea, lane integer,
  out created boolean, out handlers text[])
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now constant timestamptz := :"schema".:"now"();
  v_sequence bigint;
begin
  handlers := array(
    select s.handler from :"schema".:"subscriptions" s
    where exists (select from unnest(s.types) p(pattern)
                  where p.pattern = '*' or p.pattern = :"publish_one".type
                     or (right(p.pattern, 2) = '.*'
                         and length(:"publish_one".type) > length(p.pattern) - 1
                         and starts_with(:"publish_one".type, left(p.pattern, -1))))
    order by s.handler);
  insert into :"schema".:"events" as e
    (id, created_at, type, key, content_type, headers, handlers, payload)
  values (:"publish_one".id, v_now, :"publish_one".type, :"publish_one".key,
          :"publish_one".content_type, :"publish_one".headers, :"publish_one".handlers,
          :"publish_one".payload)
  on conflict do nothing;
  created := found;
  if not created then
    select a.added into handlers
    from :"schema".:"publish_again"(
      array[:"publish_one".id], array[:"publish_one".key],
      case when :"publish_one".lane is not null then array[:"publish_one".lane] end,
      '{}', '{}', '{}') a;
    return;
  end if;
  if handlers = '{}' then return; end if;

  if :"publish_one".key is not null then
    insert into :"schema".:"keys" as k (key, sequence, used_at)
    values (:"publish_one".key, 1, v_now)
    on conflict (key) do update set sequence = k.sequence + 1, used_at = excluded.used_at
    returning k.sequence into v_sequence;
  end if;
  insert into :"schema".:"deliveries"
    (event_id, handler, key, sequence, lane, available_at, created_at, updated_at)
  select :"publish_one".id, u.handler, :"publish_one".key, v_sequence,
         coalesce(:"publish_one".lane, :"schema".:"lane_of"(
           coalesce(:"publish_one".key, :"publish_one".id::text))),
         v_now, v_now, v_now
  from unnest(:"publish_one".handlers) u(handler);
  perform :"schema".:"wake"();
end
$body$;
