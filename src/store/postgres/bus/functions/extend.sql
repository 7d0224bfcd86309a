-- Lets the leases behind tokens run on from now.
--
-- ids, lanes, epochs, claims   The tokens.
-- lease                        Microseconds.
-- Returns: the places (from 1) of the tokens that held.
-- Locks:   lanes, in order, for no key update.
-- Index:   the primary keys of lanes and deliveries.
create or replace function :"schema".:"extend"(
  ids bigint[], lanes integer[], epochs bigint[], claims bigint[], lease bigint)
returns setof integer
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
as $body$
#variable_conflict use_column
declare
  v_places integer[];
  v_lanes integer[];
begin
  select array_agg(h.place), array_agg(distinct h.in_lane) into v_places, v_lanes
  from :"schema".:"held"(:"extend".ids, :"extend".lanes, :"extend".epochs, :"extend".claims) h;
  update :"schema".:"lanes" l set lease_expires_at = :"schema".:"due_after"(:"extend".lease)
  where l.lane = any(v_lanes);
  return query select unnest(v_places);
end
$body$;
