-- Empties a sealed slot whose rows are all spent.
--
-- slot      0 to 7.
-- patience  Milliseconds to wait for its children; 20.
-- Returns: 'pruned', or why not: 'busy' (another is at the ring), 'current', 'empty', 'active'
--          (something in it still counts), 'blocked' (somebody reads or writes it).
-- Locks:   the ring lock, never waiting for it; then the slot's children.
-- Odd:     the count is made three times: without a lock; then behind one that keeps writers out, in
--          new statements, or a row that was under way would be lost; readers are kept out only for
--          the truncation. Security definer: nobody else may truncate.
create or replace function :"schema".:"queue_prune"(slot integer, patience integer) returns text
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $body$
#variable_conflict use_column
declare
  v_load record;
begin
  perform :"schema".:"queue_require_autocommit"();
  if not pg_try_advisory_xact_lock(:"schema".:"queue_lane_lock"(), -1) then return 'busy'; end if;
  if (select g.last_value % 8 from :"schema".:"queue_generation" g) = slot then
    return 'current';
  end if;
  if :"schema".:"queue_slot_waits"(slot) then return 'active'; end if;
  select * into v_load from :"schema".:"queue_slot_load"(slot);
  if v_load.unclaimed <> 0 or v_load.open <> 0 then return 'active'; end if;
  if v_load.total = 0 then return 'empty'; end if;

  if not :"schema".:"queue_seal_slot"(slot, 'share row exclusive', patience) then
    return 'blocked';
  end if;
  select * into v_load from :"schema".:"queue_slot_load"(slot);  --@mutant skip_recheck_in_prune
  if v_load.unclaimed <> 0 or v_load.open <> 0 then return 'active'; end if;
  if not :"schema".:"queue_seal_slot"(slot, 'access exclusive', patience) then
    return 'blocked';
  end if;
  perform :"schema".:"queue_empty_slot"(slot);
  return 'pruned';
end
$body$;
