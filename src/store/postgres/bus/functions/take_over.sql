-- Takes over leases that expired over work in flight. Each delivery that was in flight is charged
-- one attempt, its claim ends, and it becomes a suspect. Buried by it is only one that ran alone,
-- which a suspect always does, and that has spent the attempts of its subscription; without a
-- subscription nobody knows, so it stays.
--
-- lanes   Whose leases have expired over work in flight.
-- Returns: how many were taken over. One that is locked, by a handler's transaction that completes
--          a delivery in it, is passed by.
-- Locks:   lanes, in order, for update, skipping what is locked; then the deliveries.
-- Index:   the primary keys of lanes and deliveries. "offset 0": see look().
create or replace function :"schema".:"take_over"(lanes smallint[]) returns integer
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
  v_now constant timestamptz := :"schema".:"now"();
  v_lanes smallint[];
  v_ids bigint[];
  v_alive bigint[];
  v_count integer;
begin
  select array_agg(l.lane) into v_lanes
  from (select l.lane from :"schema".:"lanes" l
        where l.lane = any(:"take_over".lanes) and l.lease_expires_at <= v_now
        order by l.lane for update skip locked) l;
  if v_lanes is null then return 0; end if;

  -- Their status cannot change meanwhile: who changes it locks the lane. Completion only deletes.
  select array_agg(d.id) into v_ids
  from :"schema".:"lanes" l
  cross join unnest(l.in_flight) f(id)
  cross join lateral (select d.id, d.status from :"schema".:"deliveries" d
                      where d.id = f.id offset 0) d
  where l.lane = any(v_lanes) and d.status = 'pending';

  with charged as (
    update :"schema".:"deliveries" d
    set claims = d.claims + 1, suspect = true,
        attempts = d.attempts + 1,  --@mutant skip_takeover_charge
        updated_at = v_now,
        last_error = 'worker lost: its lease expired while the delivery was in flight',
        status = case when d.attempts + 1 >= (
                             select s.max_attempts from :"schema".:"subscriptions" s
                             where s.handler = d.handler)
                           and d.suspect  --@mutant bury_neighbours
                      then 'dead' else 'pending' end
    where d.id = any(v_ids)
    returning d.id, d.lane, d.status
  )
  select array_agg(c.id) filter (where c.status = 'pending'), count(distinct c.lane)
  into v_alive, v_count
  from charged c;

  update :"schema".:"lanes" l
  set epoch = l.epoch + 1, lease_owner = null, lease_expires_at = null, in_flight = '{}',
      suspects = array(select f.id from unnest(l.suspects) f(id)
                       union select f.id from unnest(l.in_flight) f(id) where f.id = any(v_alive))
  where l.lane = any(v_lanes);
  if v_alive is not null then
    perform :"schema".:"set_back"(v_alive, v_lanes::integer[]);
  end if;
  update :"schema".:"meta" m set value = m.value + v_count
  where m.name = 'takeovers' and v_count > 0;
  return v_count;
end
$body$;
