-- The shard of a lone keyless batch, whose lane is locked on return: one this transaction holds
-- already, else the first from the rotor's on whose lock is free. Where none is, and where the
-- transaction holds another lane already, the rotor's, and nothing is locked yet.
--
-- queue, priority, shards   Of the batch, and the queue's width.
-- rotor    Where to begin, modulo the width.
-- Returns: the lane, and whether it is locked.
-- Locks:   at most one lane's advisory lock, never waiting for it.
create or replace function :"schema".:"queue_pick_shard"(
  queue text, priority smallint, shards integer, rotor integer, out lane integer, out locked boolean)
language plpgsql
set search_path = pg_catalog, pg_temp
as $body$
#variable_conflict use_column
declare
  v_class constant integer := :"schema".:"queue_lane_lock"();
  v_name constant text := 'penstock.lanes_' || (v_class::bigint & 4294967295);
  v_held constant text := coalesce(current_setting(v_name, true), '');
  v_lane integer;
  v_shard smallint;
begin
  locked := false;
  if v_held <> '' then
    select l.lane into v_lane from :"schema".:"queue_lanes" l
    where l.queue = :"queue_pick_shard".queue and l.priority = :"queue_pick_shard".priority
      and l.enqueue_shard < shards and l.lane = any(string_to_array(v_held, ',')::integer[])
    limit 1;
    locked := found;
  end if;
  if v_lane is null then
    for v_turn in 0 .. case when v_held = '' then shards - 1 else -1 end loop
      v_shard := (rotor + v_turn) % shards;
      select l.lane into v_lane from :"schema".:"queue_lanes" l
      where l.queue = :"queue_pick_shard".queue and l.priority = :"queue_pick_shard".priority
        and l.enqueue_shard = v_shard;
      if not found then
        continue when not pg_try_advisory_xact_lock(
          v_class, :"schema".:"queue_lane_birth"(queue, priority, v_shard));
        v_lane := :"schema".:"queue_open_lane"(queue, priority, v_shard);
      end if;
      if pg_try_advisory_xact_lock(v_class, v_lane) then
        perform set_config(v_name, v_lane::text, true);
        locked := true;
        exit;
      end if;
    end loop;
  end if;
  lane := v_lane;
  if not locked then
    lane := :"schema".:"queue_open_lane"(queue, priority, (rotor % shards)::smallint);
  end if;
end
$body$;
