-- Gives work back without spending an attempt. It is due again at once, from its old place, so the
-- low-water mark of its lane goes back behind it.
--
-- ids, lanes, epochs, claims   The tokens.
-- Returns: the places (from 1) of the tokens that held.
-- Locks:   lanes, in order, for no key update; then the deliveries.
-- Index:   the primary keys of lanes and deliveries.
create or replace function :"schema".:"release"(
  ids bigint[], lanes integer[], epochs bigint[], claims bigint[])
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
  from :"schema".:"held"(:"release".ids, :"release".lanes, :"release".epochs, :"release".claims) h;
  if v_places is null then return; end if;

  update :"schema".:"deliveries" d set claims = d.claims + 1 where d.id = any(v_ids);
  perform :"schema".:"let_go"(v_ids, v_lanes);
  perform :"schema".:"set_back"(v_ids, v_lanes);
  perform :"schema".:"wake"();
  return query select unnest(v_places);
end
$body$;
