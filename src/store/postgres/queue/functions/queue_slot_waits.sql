-- Whether a slot surely holds something that counts: found by a few probes, where queue_slot_load()
-- would read it all. No is no proof.
--
-- slot  0 to 7.
-- Returns: true where some attempt is open, or the last row of some lane in it is not claimed.
-- Locks:   none.
-- Index:   the primary keys of queue_ready (walked from lane to lane) and queue_claims; scans of the
--          slot's claims and finished.
create or replace function :"schema".:"queue_slot_waits"(slot integer) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_mergejoin = off
set enable_hashjoin = off
as $body$
#variable_conflict use_column
declare
  v_lane integer;
  v_seq bigint;
begin
  if (select coalesce(sum(c.n), 0) from :"schema".:"queue_claims" c
      where c.slot = :"queue_slot_waits".slot)
     <> (select coalesce(sum(f.n), 0) from :"schema".:"queue_finished" f
         where f.slot = :"queue_slot_waits".slot) then
    return true;  --@mutant prune_open
  end if;
  select r.lane, r.seq into v_lane, v_seq from :"schema".:"queue_ready" r
  where r.slot = :"queue_slot_waits".slot order by r.lane desc, r.seq desc limit 1;
  while v_lane is not null loop
    if v_seq >= :"schema".:"queue_cursor"(v_lane)
       and not exists (select from :"schema".:"queue_tombstones" t
                       where t.lane = v_lane and t.seq = v_seq
                         and t.slot = :"queue_slot_waits".slot) then
      return true;
    end if;
    select r.lane, r.seq into v_lane, v_seq from :"schema".:"queue_ready" r
    where r.slot = :"queue_slot_waits".slot and r.lane < v_lane
    order by r.lane desc, r.seq desc limit 1;
  end loop;
  return false;
end
$body$;
