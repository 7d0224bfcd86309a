-- Finds rows below their lane's cursor that no claim has, which would be a fault of ours, and
-- appends them again, through queue_deferred. Whoever calls it raises an alarm where it finds any.
--
-- slot      0 to 7.
-- Returns: the jobs it found.
-- Locks:   rows of queue_lanes, sorted, for update, of the lanes concerned.
-- Index:   the primary keys of the ring tables.
create or replace function :"schema".:"queue_rescue_stranded"(slot integer) returns setof bigint
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_lanes integer[];
  v_row record;
begin
  perform :"schema".:"queue_require_autocommit"();
  for v_pass in 1 .. 2 loop
    perform from :"schema".:"queue_lanes" l where l.lane = any(v_lanes) order by l.lane for update;
    for v_row in
      select r.*, l.queue, l.priority
      from (select distinct r.lane from :"schema".:"queue_ready" r
            where r.slot = :"queue_rescue_stranded".slot
              and (v_pass = 1 or r.lane = any(v_lanes))) d
      cross join lateral (select :"schema".:"queue_cursor"(d.lane) as cursor offset 0) k
      join :"schema".:"queue_lanes" l on l.lane = d.lane
      join :"schema".:"queue_ready" r on r.lane = d.lane and r.seq < k.cursor
                                     and r.slot = :"queue_rescue_stranded".slot
      where not exists (select from :"schema".:"queue_tombstones" t
                        where t.lane = r.lane and t.seq = r.seq and t.slot = r.slot)
        and r.seq >= coalesce((
          select c.next from :"schema".:"queue_claims" c
          where c.lane = r.lane and c.slot = r.slot and c.first <= r.seq
          order by c.first desc limit 1), 0)
    loop
      if v_pass = 1 then
        v_lanes := v_lanes || v_row.lane;
        continue;
      end if;
      insert into :"schema".:"queue_tombstones"(seq, lane, slot)
      values (v_row.seq, v_row.lane, v_row.slot);
      insert into :"schema".:"queue_deferred"
      values (v_row.lane, v_row.priority, v_row.id, v_row.run_at,
              coalesce(v_row.created_at, v_row.run_at), v_row.deadline, v_row.attempt,
              v_row.max_attempts, v_row.unique_states, v_row.suspect, v_row.kind, v_row.key,
              v_row.unique_key, v_row.content_type, v_row.headers, v_row.state, v_row.payload,
              v_row.queue);
      return next v_row.id;
    end loop;
    exit when v_lanes is null;
  end loop;
end
$body$;
