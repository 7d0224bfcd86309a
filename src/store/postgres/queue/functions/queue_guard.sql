-- Raises the sequences above everything that was drawn from them: a restored dump, or a standby that
-- took over, can have left them behind. At setup, and whenever a leader begins.
--
-- Returns: whether one was behind, for the log.
-- Locks:   the ring lock.
-- Index:   the primary keys; a scan of the claims.
-- Odd:     where nothing is behind, nothing is set: setval() beside producers could set back.
create or replace function :"schema".:"queue_guard"() returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set jit = off
as $body$
#variable_conflict use_column
declare
  v_gap constant bigint := 100000;  -- what others may draw while this looks
  v_position bigint;
  v_claim bigint;
  v_behind boolean := false;
begin
  perform pg_advisory_xact_lock(:"schema".:"queue_lane_lock"(), -1);
  select greatest(
    (select max(u.seq) from :"schema".:"queue_lanes" l
     cross join lateral (select r.seq from :"schema".:"queue_ready" r
                         where r.lane = l.lane order by r.seq desc limit 1) u),
    (select max(:"schema".:"queue_cursor"(l.lane)) - 1 from :"schema".:"queue_lanes" l),
    (select max(r.id) from :"schema".:"queue_ready" r where r.id <> r.seq),
    (select max(d.id) from :"schema".:"queue_deferred" d),
    (select max(d.id) from :"schema".:"queue_dead" d),
    (select max(r.id) from :"schema".:"queue_running" r),
    (select max(h.id) from :"schema".:"queue_history" h),
    (select max(k.id) from :"schema".:"queue_unique_keys" k))
  into v_position;
  if v_position > (select p.last_value from :"schema".:"queue_position" p) then
    perform setval(format('%I.%I', :'schema', :'queue_position')::regclass, v_position + v_gap);
    v_behind := true;
  end if;
  select greatest((select max(c.claim) from :"schema".:"queue_claims" c),
                  (select max(f.claim) from :"schema".:"queue_finished" f),
                  (select max(r.claim) from :"schema".:"queue_running" r)) into v_claim;
  if v_claim > (select b.last_value + 31 from :"schema".:"queue_claim_base" b) then
    perform setval(format('%I.%I', :'schema', :'queue_claim_base')::regclass, (v_claim / 32 + v_gap) * 32);
    v_behind := true;
  end if;
  return v_behind;
end
$body$;
