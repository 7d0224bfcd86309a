-- Makes deliveries of events that are stored, and counts the ordering keys on.
--
-- ids, keys, lanes      One element per event of a batch; lanes null: worked out here.
-- ordinals, handlers    One element per delivery: place of its event, and handler.
-- Locks:   the rows of the keys, in order of their bytes, to the end of the transaction.
-- Index:   the primary key of keys.
-- Odd:     nested loops are off, as in publish_batch.
create or replace function :"schema".:"deliver"(
  ids uuid[], keys text[], lanes integer[], ordinals integer[], handlers text[])
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_nestloop = off
set enable_mergejoin = off
as $body$
#variable_conflict use_column
declare
  v_now constant timestamptz := :"schema".:"now"();
  v_lanes integer[] := :"deliver".lanes;
begin
  if v_lanes is null then
    select array_agg(:"schema".:"lane_of"(coalesce(u.key, u.id::text))::integer order by u.ordinal)
    into v_lanes
    from unnest(:"deliver".ids, :"deliver".keys) with ordinality u(id, key, ordinal);
  end if;

  with event as materialized (
    select u.ordinal::integer, u.id, u.key, u.lane
    from unnest(:"deliver".ids, :"deliver".keys, v_lanes) with ordinality u(id, key, lane, ordinal)
    where u.ordinal::integer in (select o.ordinal from unnest(:"deliver".ordinals) o(ordinal))
  ),
  counted as (
    insert into :"schema".:"keys" as k (key, sequence, used_at)
    select e.key, count(*), v_now from event e where e.key is not null
    group by e.key order by e.key collate "C"
    on conflict (key) do update
      set sequence = k.sequence + excluded.sequence, used_at = excluded.used_at
    returning k.key, k.sequence
  ),
  placed as (
    select e.ordinal, c.sequence - count(*) over (partition by e.key)
           + row_number() over (partition by e.key order by e.ordinal) as sequence
    from event e join counted c on c.key = e.key
  )
  insert into :"schema".:"deliveries"
    (event_id, handler, key, sequence, lane, available_at, created_at, updated_at)
  select e.id, d.handler, e.key, p.sequence, e.lane, v_now, v_now, v_now
  from unnest(:"deliver".ordinals, :"deliver".handlers) d(ordinal, handler)
  join event e on e.ordinal = d.ordinal
  left join placed p on p.ordinal = e.ordinal
  order by e.ordinal, d.handler;

  perform :"schema".:"wake"();
end
$body$;
