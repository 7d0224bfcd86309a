-- The number of a lane, which is registered where it is new.
--
-- queue, priority, enqueue_shard   The lane.
-- Returns: its number.
-- Locks:   where the lane is new, an advisory lock and its row, to the end of the transaction.
-- Index:   the unique key of queue_lanes.
-- Odd:     a conditional insert: an insert that conflicts would use up a number each time. A
--          producer with an older REPEATABLE READ snapshot may get 40001 here, once per new lane.
create or replace function :"schema".:"queue_open_lane"(
  queue text, priority smallint, enqueue_shard smallint)
returns integer
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $body$
#variable_conflict use_column
declare
  v_lane integer;
begin
  loop
    select l.lane into v_lane from :"schema".:"queue_lanes" l
    where l.queue = :"queue_open_lane".queue and l.priority = :"queue_open_lane".priority
      and l.enqueue_shard = :"queue_open_lane".enqueue_shard;
    if found then return v_lane; end if;
    perform pg_advisory_xact_lock(
      :"schema".:"queue_lane_lock"(),
      :"schema".:"queue_lane_birth"(queue, priority, enqueue_shard));
    insert into :"schema".:"queue_lanes"(queue, priority, enqueue_shard)
    values (:"queue_open_lane".queue, :"queue_open_lane".priority, :"queue_open_lane".enqueue_shard)
    on conflict do nothing;
  end loop;
end
$body$;
