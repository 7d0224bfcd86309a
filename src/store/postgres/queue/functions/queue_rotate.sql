-- Makes the next empty slot the current one, where the current one holds anything.
--
-- Returns: 'rotated', or why not: 'busy' (another is at the ring), 'idle' (nothing in it), 'full' (no
--          empty slot).
-- Locks:   the ring lock, never waiting for it.
-- Odd:     nothing depends on the order of slots. A producer that read the generation before may yet
--          write to the slot it saw: its row is found wherever it is, and prune counts again.
--          Security definer, because nobody else may move the ring.
create or replace function :"schema".:"queue_rotate"() returns text
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_generation bigint;
  v_next bigint;
begin
  perform :"schema".:"queue_require_autocommit"();
  if not pg_try_advisory_xact_lock(:"schema".:"queue_lane_lock"(), -1) then return 'busy'; end if;
  v_generation := (select g.last_value from :"schema".:"queue_generation" g);
  if not exists (select from :"schema".:"queue_ready" r where r.slot = v_generation % 8) then
    return 'idle';
  end if;
  for v_step in 1 .. 7 loop
    v_next := v_generation + v_step;
    if not exists (select from :"schema".:"queue_ready" r where r.slot = v_next % 8)
       and not exists (select from :"schema".:"queue_claims" c where c.slot = v_next % 8)
       and not exists (select from :"schema".:"queue_finished" f where f.slot = v_next % 8)
       and not exists (select from :"schema".:"queue_tombstones" t where t.slot = v_next % 8) then
      perform setval(format('%I.%I', :'schema', :'queue_generation')::regclass, v_next);
      return 'rotated';
    end if;
  end loop;
  return 'full';
end
$body$;
