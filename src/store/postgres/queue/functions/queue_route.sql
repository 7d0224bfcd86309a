-- Chooses the lanes of jobs that become ready, and locks them.
--
-- queues, priorities, keys   One element per job; a null key: none.
-- rotor    Where the choice for jobs without key begins; those of one queue and priority stay
--          together, because a batch in many lanes costs more than it gains. Below 0: there is no
--          choice, so that several calls come to the same; it is -1 - rotor.
-- Returns: the lane of each place.
-- Locks:   the advisory locks of the lanes, sorted.
-- Index:   the primary key of queue_meta, the unique key of queue_lanes.
-- Raises:  PS001 where the lanes are so many that the server's lock table could overflow.
create or replace function :"schema".:"queue_route"(
  queues text[], priorities smallint[], keys text[], rotor integer)
returns integer[]
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_nestloop = off
set enable_mergejoin = off
as $body$
#variable_conflict use_column
declare
  v_lane_limit constant integer := 4096;
  v_groups integer[];      -- of each place, and of each group …
  v_places integer[];      -- … its first place,
  v_shards integer[];      -- its shard, or -1 where the rotor says,
  v_widths integer[];      -- its queue's width
  v_lanes integer[] := '{}';
  v_first constant integer := case when rotor < 0 then -1 - rotor else rotor end;
  v_locked boolean := false;
  v_lane integer;
begin
  -- Most batches are of one queue and priority, without keys.
  if queues = array_fill(queues[1], array[cardinality(queues)])
     and priorities = array_fill(priorities[1], array[cardinality(queues)])
     and (cardinality(keys) = 1 or array_remove(keys, null) = '{}') then
    v_widths[1] := coalesce((select m.enqueue_shards from :"schema".:"queue_meta" m
                             where m.queue = queues[1]), 1);
    if v_widths[1] = 1 or keys[1] is not null or rotor < 0 then
      v_lane := :"schema".:"queue_open_lane"(
        queues[1], priorities[1],
        coalesce(:"schema".:"queue_shard_of"(keys[1], v_widths[1]), v_first % v_widths[1])::smallint);
    else
      select p.lane, p.locked into v_lane, v_locked
      from :"schema".:"queue_pick_shard"(queues[1], priorities[1], v_widths[1], rotor) p;
    end if;
    if not v_locked then perform :"schema".:"queue_lock_lanes"(array[v_lane]); end if;
    return array_fill(v_lane, array[cardinality(queues)]);
  end if;

  with routed as (
    select u.place::integer, u.queue, u.priority, coalesce(m.enqueue_shards, 1)::integer as width,
           case when coalesce(m.enqueue_shards, 1) = 1 then 0
                when u.key is null then -1
                else :"schema".:"queue_shard_of"(u.key, m.enqueue_shards) end as shard
    from unnest(:"queue_route".queues, :"queue_route".priorities, :"queue_route".keys)
      with ordinality u(queue, priority, key, place)
    left join :"schema".:"queue_meta" m on m.queue = u.queue
  ),
  grouped as (
    select r.*, dense_rank() over (order by r.queue, r.priority, r.shard)::integer as nth
    from routed r
  ),
  heads as (
    select distinct on (g.nth) g.nth, g.place, g.shard, g.width from grouped g
    order by g.nth, g.place
  )
  select (select array_agg(g.nth order by g.place) from grouped g),
         array_agg(h.place order by h.nth), array_agg(h.shard order by h.nth),
         array_agg(h.width order by h.nth)
  into v_groups, v_places, v_shards, v_widths
  from heads h;
  if cardinality(v_places) > v_lane_limit then
    raise exception using errcode = 'PS001', message = format(
      'the jobs belong to %s lanes; the limit of one call is %s: enqueue in smaller batches',
      cardinality(v_places), v_lane_limit);
  end if;

  for v_nth in 1 .. cardinality(v_places) loop
    v_lanes := v_lanes || :"schema".:"queue_open_lane"(
      queues[v_places[v_nth]], priorities[v_places[v_nth]],
      (case when v_shards[v_nth] >= 0 then v_shards[v_nth]
            else v_first % v_widths[v_nth] end)::smallint);
  end loop;
  perform :"schema".:"queue_lock_lanes"(array(select distinct u.lane from unnest(v_lanes) u(lane)));
  return array(select v_lanes[u.nth] from unnest(v_groups) with ordinality u(nth, place)
               order by u.place);
end
$body$;
