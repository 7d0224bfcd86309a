-- Hands back every lane of a worker that runs nothing.
--
-- worker   Lease owner.
-- Returns: how many lanes.
-- Locks:   those lanes, in order, for no key update.
-- Index:   the primary keys of lanes and deliveries. "offset 0": see look().
create or replace function :"schema".:"relinquish"(worker text) returns integer
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
  v_lanes smallint[];
  v_count integer;
begin
  select array_agg(l.lane) into v_lanes
  from (select l.lane from :"schema".:"lanes" l where l.lane >= 0 and l.lease_owner = worker
        order by l.lane for no key update) l;
  if v_lanes is null then return 0; end if;
  update :"schema".:"lanes" l
  set lease_owner = null, lease_expires_at = null, in_flight = '{}'
  where l.lane = any(v_lanes)
    and (select bool_or(d.status = 'pending')
         from unnest(l.in_flight) f(id)
         cross join lateral (select d.status from :"schema".:"deliveries" d
                             where d.id = f.id offset 0) d) is not true;
  get diagnostics v_count = row_count;
  if v_count > 0 then perform :"schema".:"wake"(); end if;
  return v_count;
end
$body$;
