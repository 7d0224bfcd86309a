-- Makes every lease of a worker one of its successor's. What is in flight under them and does not
-- run is given back without spending an attempt, as release() does. A claim of the former worker
-- that still runs finds these lanes changed, and leaves them.
--
-- former, worker               Lease owners.
-- ids, lanes, epochs, claims   The tokens of what runs.
-- Locks:   all those lanes, in order, for no key update; then the deliveries given back.
-- Index:   the primary keys of lanes and deliveries. "offset 0": see look().
create or replace function :"schema".:"inherit"(
  former text, worker text, ids bigint[], lanes integer[], epochs bigint[], claims bigint[])
returns void
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
  v_held bigint[];
  v_lost bigint[];
begin
  select array_agg(l.lane::integer) filter (where l.lease_owner = former) into v_lanes
  from (select l.lane, l.lease_owner from :"schema".:"lanes" l
        where l.lane >= 0 and (l.lease_owner = former or l.lane = any(:"inherit".lanes))
        order by l.lane for no key update) l;
  if v_lanes is null then return; end if;

  select array_agg(h.delivery) into v_held
  from :"schema".:"held"(:"inherit".ids, :"inherit".lanes, :"inherit".epochs, :"inherit".claims) h;
  select array_agg(d.id) into v_lost
  from :"schema".:"lanes" l
  cross join unnest(l.in_flight) f(id)
  cross join lateral (select d.id, d.status from :"schema".:"deliveries" d
                      where d.id = f.id offset 0) d
  where l.lane = any(v_lanes) and d.status = 'pending' and (d.id = any(v_held)) is not true;
  update :"schema".:"lanes" l set lease_owner = :"inherit".worker where l.lane = any(v_lanes);
  if v_lost is null then return; end if;

  update :"schema".:"deliveries" d set claims = d.claims + 1 where d.id = any(v_lost);
  perform :"schema".:"let_go"(v_lost, v_lanes);
  perform :"schema".:"set_back"(v_lost, v_lanes);
  perform :"schema".:"wake"();
end
$body$;
