-- An operator's end of pending deliveries, in flight or not: dead letters. A running attempt finds
-- its token lost, because claims grows.
--
-- ids, errors   Deliveries, and the last error of each; those that are not pending are left.
-- Returns: how many.
-- Locks:   their lanes, in order, for no key update; then the deliveries. The lanes' rows are
--          written even where nothing is in flight: a claim that has picked one of the deliveries
--          and not yet recorded it must find that the lane has changed.
-- Index:   the primary keys of lanes and deliveries. The odd comparison: see look().
create or replace function :"schema".:"bury_selected"(ids bigint[], errors text[]) returns integer
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
  v_lanes integer[];
  v_count integer;
begin
  select array_agg(distinct d.lane::integer) into v_lanes
  from :"schema".:"deliveries" d where d.id = any(:"bury_selected".ids);
  perform from :"schema".:"lanes" l where l.lane = any(v_lanes) order by l.lane for no key update;

  update :"schema".:"deliveries" d
  set status = 'dead', claims = d.claims + 1, updated_at = :"schema".:"now"(), last_error = t.error
  from unnest(:"bury_selected".ids, :"bury_selected".errors) t(id, error)
  where d.id = t.id and d.status || '' = 'pending';
  get diagnostics v_count = row_count;
  update :"schema".:"lanes" l
  set in_flight = array(select f.id from unnest(l.in_flight) f(id)
                        where f.id <> all(:"bury_selected".ids))
  where l.lane = any(v_lanes);
  return v_count;
end
$body$;
