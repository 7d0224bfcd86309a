-- What a slot holds, counted over the whole child tables: the gate of prune.
--
-- slot      0 to 7.
-- Returns: rows, unclaimed ones among them, open ones (claimed, not ended).
-- Locks:   none of its own.
-- Index:   none: it reads the four children, so only sealed slots are asked often.
-- Odd:     counts suffice, because the primary keys let no position be claimed, and no member be
--          ended, twice.
create or replace function :"schema".:"queue_slot_load"(slot integer)
returns table(total bigint, unclaimed bigint, open bigint)
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_claimed bigint;
  v_finished bigint;
  v_removed bigint;
begin
  select count(*) into total from :"schema".:"queue_ready" r
  where r.slot = :"queue_slot_load".slot;
  select coalesce(sum(c.n), 0) into v_claimed from :"schema".:"queue_claims" c
  where c.slot = :"queue_slot_load".slot;
  select coalesce(sum(f.n), 0) into v_finished from :"schema".:"queue_finished" f
  where f.slot = :"queue_slot_load".slot;
  select count(*) into v_removed from :"schema".:"queue_tombstones" t
  where t.slot = :"queue_slot_load".slot
    and exists (select from :"schema".:"queue_ready" r
                where r.lane = t.lane and r.seq = t.seq and r.slot = t.slot);
  unclaimed := 0;
  open := 0;
  unclaimed := total - v_claimed - v_removed;  --@mutant prune_unclaimed
  open := v_claimed - v_finished;  --@mutant prune_open
  return next;
end
$body$;
