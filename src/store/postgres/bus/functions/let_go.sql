-- Takes deliveries out of what is in flight in their lanes, which the caller has locked.
--
-- ids, lanes   Deliveries and their lanes.
-- Locks:  lanes, for no key update.
-- Index:  the primary key of lanes.
create or replace function :"schema".:"let_go"(ids bigint[], lanes integer[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
as $body$
#variable_conflict use_column
begin
  update :"schema".:"lanes" l
  set in_flight = array(select f.id from unnest(l.in_flight) f(id) where f.id <> all(:"let_go".ids))
  where l.lane = any(:"let_go".lanes) and l.in_flight && :"let_go".ids;
end
$body$;
