-- Ends attempts in every way but plain success, each on its own.
--
-- worker    Who claimed.
-- One element per attempt in each array:
-- claims, ordinals   The tokens; a doubled one counts once, its first.
-- outcomes  0 completed; 1 retried (charged one attempt); 2 snoozed (not charged); 3 buried;
--           4 cancelled; 5 rescued (charged, a suspect from now on, back to its own lane; buried
--           where it ran alone and has spent its attempts); 6 released (not charged, as it was, back
--           to its own lane).
-- delays    Microseconds from now, of 1, 2 and 6.
-- errors    Kept where not empty. progress: json the handler left; null: as before.
-- wait      Whether to wait for another call that is at one of the claims; else it is passed by.
-- history   As in queue_complete().
-- Returns: the places (from 1) of the tokens that held, with the outcome that came of it (3 for a
--          rescue that buried). Else the attempt had ended.
-- Locks:   rows of queue_claims in the order of claims, for no key update; rows of queue_running;
--          then unique keys. No lane: what returns to one goes through queue_deferred.
-- Index:   queue_claims_by_worker; the primary keys of queue_finished, queue_running, queue_ready.
-- Raises:  PS001 outside READ COMMITTED.
create or replace function :"schema".:"queue_finish"(
  worker bigint, claims bigint[], ordinals integer[], outcomes smallint[], delays bigint[],
  errors text[], progress jsonb[], wait boolean, history boolean)
returns table(place integer, outcome smallint)
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
  v_locked bigint[];
  v_there bigint[];
  v_places integer[];
  v_held :"schema".:"queue_held"[];
begin
  perform :"schema".:"queue_require_autocommit"();
  if wait then
    v_locked := array(
      select c.claim from :"schema".:"queue_claims" c
      where c.worker = :"queue_finish".worker and c.claim = any(claims)
      order by c.claim for no key update);
  else
    v_locked := array(
      select c.claim from :"schema".:"queue_claims" c
      where c.worker = :"queue_finish".worker and c.claim = any(claims)
      order by c.claim for no key update skip locked);
  end if;

  -- What is still open, by a later statement than the lock.
  with asked as materialized (
    select distinct on (u.claim, u.ordinal) u.claim, u.ordinal, u.outcome, u.place::integer
    from unnest(:"queue_finish".claims, :"queue_finish".ordinals, :"queue_finish".outcomes)
      with ordinality u(claim, ordinal, outcome, place)
    where u.claim = any(v_locked)
    order by u.claim, u.ordinal, u.place
  ),
  opened as materialized (
    select c.claim, c.slot, c.n, f.done, f.members
    from unnest(v_locked) l(claim)
    join :"schema".:"queue_claims" c on c.worker = :"queue_finish".worker and c.claim = l.claim
    cross join lateral (
      select coalesce(sum(f.n), 0)::integer as done, coalesce(range_agg(f.members), '{}') as members
      from :"schema".:"queue_finished" f where f.claim = c.claim and f.slot = c.slot) f
  ),
  fresh as materialized (
    select a.claim, a.ordinal, a.outcome, a.place, o.slot, o.done
    from asked a join opened o on o.claim = a.claim
    where a.ordinal >= 0 and a.ordinal < o.n and not o.members @> a.ordinal
  ),
  flushes as (
    select f.claim, f.slot, f.outcome, f.done, count(*)::integer as n,
           range_agg(int4range(f.ordinal, f.ordinal + 1)) as members
    from fresh f group by f.claim, f.slot, f.outcome, f.done
  ),
  inserted as (
    insert into :"schema".:"queue_finished" (claim, at, done, n, slot, outcome, members)
    select f.claim, clock_timestamp(),
           f.done + (sum(f.n) over (partition by f.claim order by f.outcome) - f.n)::integer, f.n,
           f.slot, f.outcome, f.members
    from flushes f
  )
  select array_agg(f.place) into v_places from fresh f;

  if v_places is not null then
    select array_agg(row(u.place, m.claim, m.ordinal, m.lane,
                         row(m.id, m.run_at, m.created_at, m.deadline, m.attempt, m.max_attempts,
                             m.unique_states, m.suspect, m.kind, m.key, m.unique_key, m.content_type,
                             m.headers, m.state, m.payload)::
                           :"schema".:"queue_body")::
                         :"schema".:"queue_held" order by u.place)
    into v_held
    from unnest(v_places) u(place)
    cross join lateral (
      select m.* from :"schema".:"queue_members" m
      where m.worker = :"queue_finish".worker and m.claim = claims[u.place]
        and m.ordinal = ordinals[u.place] offset 0) m;
  end if;

  if exists (select from unnest(claims) u(claim) where u.claim <> all(v_locked)) then
    v_there := array(select c.claim from :"schema".:"queue_claims" c
                     where c.worker = :"queue_finish".worker and c.claim = any(claims)
                       and c.claim <> all(v_locked));
    with gone as (
      delete from :"schema".:"queue_running" r
      using (select distinct on (u.claim, u.ordinal) u.claim, u.ordinal, u.place::integer
             from unnest(:"queue_finish".claims, :"queue_finish".ordinals)
               with ordinality u(claim, ordinal, place)
             where u.claim <> all(v_locked) and u.claim <> all(v_there)
             order by u.claim, u.ordinal, u.place) a
      where r.claim = a.claim and r.ordinal = a.ordinal and r.worker = :"queue_finish".worker
      returning a.place, r.*
    )
    select coalesce(v_held, '{}') || coalesce(
             array_agg(row(g.place, g.claim, g.ordinal, g.lane,
                           row(g.id, g.run_at, g.created_at, g.deadline, g.attempt, g.max_attempts,
                               g.unique_states, g.suspect, g.kind, g.key, g.unique_key,
                               g.content_type, g.headers, g.state, g.payload)::
                             :"schema".:"queue_body")::
                           :"schema".:"queue_held"), '{}')
    into v_held
    from gone g;
  end if;

  if v_held <> '{}' then
    return query select s.place, s.outcome
                 from :"schema".:"queue_disperse"(v_held, outcomes, delays, errors, progress,
                                                  history) s;
  end if;
end
$body$;
