-- Ends attempts that shall be tried again.
--
-- ids, lanes, epochs, claims   The tokens.
-- delays                       Microseconds from now.
-- charges                      Whether the attempt counts.
-- errors                       Kept as the last error where not empty.
-- Returns: the places (from 1) of the tokens that held.
-- Locks:   lanes, in order, for no key update; then the deliveries.
-- Index:   the primary keys of lanes and deliveries.
create or replace function :"schema".:"reschedule"(
  ids bigint[], lanes integer[], epochs bigint[], claims bigint[],
  delays bigint[], charges boolean[], errors text[])
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
  from :"schema".:"held"(:"reschedule".ids, :"reschedule".lanes, :"reschedule".epochs, :"reschedule".claims) h;
  if v_places is null then return; end if;

  update :"schema".:"deliveries" d
  set attempts = d.attempts + t.charge::integer, claims = d.claims + 1, suspect = false,
      available_at = :"schema".:"due_after"(t.delay), updated_at = :"schema".:"now"(),
      last_error = case when t.error = '' then d.last_error else t.error end
  from unnest(:"reschedule".ids, :"reschedule".delays, :"reschedule".charges, :"reschedule".errors)
    with ordinality t(id, delay, charge, error, place)
  where t.place = any(v_places) and d.id = t.id;
  perform :"schema".:"let_go"(v_ids, v_lanes);
  perform :"schema".:"wake"();
  return query select unnest(v_places);
end
$body$;
