-- Moves the few live rows of a sealed slot elsewhere, and empties it: waiting jobs to the current
-- slot, with their positions; running ones to queue_running, with their bodies.
--
-- slot      0 to 7.
-- most      Live rows at most, and
-- share     … at most this part of the slot's rows.
-- free      Only while at most so many slots are empty: else the ring just steps over it.
-- patience  Milliseconds to wait for each lock; 50.
-- Returns: 'rehomed', or why not: 'busy', 'current', 'spent' (prune does), 'live' (too much is),
--          'roomy' (more slots are free), 'blocked', 'lane' (one appeared meanwhile).
-- Locks:   the rows of the slot's lanes, sorted, for update; the ring lock; the slot's children.
-- Odd:     one transaction a slot, as all of it must be elsewhere before the truncation. Security
--          definer: nobody else may truncate.
create or replace function :"schema".:"queue_rehome"(
  slot integer, most integer, share double precision, free integer, patience integer)
returns text
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_lanes integer[];
  v_load record;
  v_current smallint;
  v_empty integer := 0;
begin
  perform :"schema".:"queue_require_autocommit"();
  for v_slot in 0 .. 7 loop
    v_empty := v_empty + (not exists (select from :"schema".:"queue_ready" r
                                      where r.slot = v_slot))::integer;
  end loop;
  if v_empty > free then return 'roomy'; end if;
  select * into v_load from :"schema".:"queue_slot_load"(slot);
  if v_load.unclaimed + v_load.open = 0 then return 'spent'; end if;
  if v_load.unclaimed + v_load.open > least(most, share * v_load.total) then return 'live'; end if;

  v_lanes := array(select distinct r.lane from :"schema".:"queue_ready" r
                   where r.slot = :"queue_rehome".slot order by r.lane);
  begin
    perform set_config('lock_timeout', patience::text, true);
    perform from :"schema".:"queue_lanes" l where l.lane = any(v_lanes) order by l.lane
    for update;
    perform set_config('lock_timeout', '0', true);
  exception when lock_not_available then
    return 'blocked';
  end;
  if not pg_try_advisory_xact_lock(:"schema".:"queue_lane_lock"(), -1) then return 'busy'; end if;
  v_current := (select g.last_value % 8 from :"schema".:"queue_generation" g);
  if v_current = slot then return 'current'; end if;
  if not :"schema".:"queue_seal_slot"(slot, 'access exclusive', patience) then return 'blocked'; end if;
  if exists (select from :"schema".:"queue_ready" r
             where r.slot = :"queue_rehome".slot and r.lane <> all(v_lanes)) then
    return 'lane';
  end if;

  insert into :"schema".:"queue_ready"
  select r.seq, r.lane, v_current, r.id, r.run_at, r.created_at, r.deadline, r.attempt,
         r.max_attempts, r.unique_states, r.suspect, r.kind, r.key, r.unique_key, r.content_type,
         r.headers, r.state, r.payload
  from (select r.*
        from (select distinct r.lane from :"schema".:"queue_ready" r
              where r.slot = :"queue_rehome".slot offset 0) l
        cross join lateral (select :"schema".:"queue_cursor"(l.lane) as cursor offset 0) k
        join :"schema".:"queue_ready" r
          on r.lane = l.lane and r.slot = :"queue_rehome".slot and r.seq >= k.cursor) r
  where not exists (select from :"schema".:"queue_tombstones" t
                    where t.lane = r.lane and t.seq = r.seq and t.slot = r.slot);
  insert into :"schema".:"queue_running"
  select m.claim, m.worker, m.claimed_at, m.lane, m.ordinal, m.id, m.run_at, m.created_at, m.deadline,
         m.attempt, m.max_attempts, m.unique_states, m.suspect, m.kind, m.key, m.unique_key,
         m.content_type, m.headers, m.state, m.payload
  from :"schema".:"queue_members" m
  cross join lateral (
    select coalesce(range_agg(f.members), '{}') as members
    from :"schema".:"queue_finished" f
    where f.claim = m.claim and f.slot = :"queue_rehome".slot) f
  where m.slot = :"queue_rehome".slot and not f.members @> m.ordinal;
  perform :"schema".:"queue_empty_slot"(slot);
  return 'rehomed';
end
$body$;
