-- Ends attempts for good: dead letters.
--
-- ids, lanes, epochs, claims   The tokens.
-- reasons                      Kept as the last error.
-- Returns: the places (from 1) of the tokens that held.
-- Locks:   lanes, in order, for no key update; then the deliveries.
-- Index:   the primary keys of lanes and deliveries.
create or replace function :"schema".:"bury"(
  ids bigint[], lanes integer[], epochs bigint[], claims bigint[], reasons text[])
returns setof integer
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $body$
#variable_conflict use_column
declare
  v_places integer[];
  v_ids bigint[];
  v_lanes integer[];
begin
  select array_agg(h.place), array_agg(h.delivery), array_agg(h.in_lane)
  into v_places, v_ids, v_lanes
  from :"schema".:"held"(:"bury".ids, :"bury".lanes, :"bury".epochs, :"bury".claims) h;
  if v_places is null then return; end if;

  update :"schema".:"deliveries" d
  set status = 'dead', attempts = d.attempts + 1, claims = d.claims + 1, suspect = false,
      updated_at = :"schema".:"now"(), last_error = t.reason
  from unnest(:"bury".ids, :"bury".reasons) with ordinality t(id, reason, place)
  where t.place = any(v_places) and d.id = t.id;
  perform :"schema".:"let_go"(v_ids, v_lanes);
  return query select unnest(v_places);
end
$body$;
