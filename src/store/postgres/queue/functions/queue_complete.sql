-- Completes a flush of attempts: one inserted row per claim. Nothing is updated or deleted, unless a
-- job has a unique key.
--
-- worker    Who claimed.
-- claims    Claims, and beside each …
-- members   … which ordinals ended. Doubled, overlapping and impossible ones do no harm.
-- history   Whether what completes is written to queue_history.
-- Returns: per claim, in any order: done, the ordinals that this call ended; busy, another call is at
--          this claim: ask again later. Asked for, not done and not busy is lost.
-- Locks:   rows of queue_claims in the order of claims, for no key update, skipping locked ones; of
--          queue_running, where the slot was given up.
-- Index:   queue_claims_by_worker, the primary key of queue_finished.
-- Odd:     what is open is read by a later statement than the lock. queue_running is looked at only
--          for claims that are not in the ring, and later: they move in that direction only.
create or replace function :"schema".:"queue_complete"(
  worker bigint, claims bigint[], members int4multirange[], history boolean)
returns table(claim bigint, done int4multirange, busy boolean)
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
  v_claims bigint[];
  v_members int4multirange[];
  v_locked bigint[];
  v_there bigint[];
  v_done bigint[];
  v_done_members int4multirange[];
  v_keyed boolean;
  v_ended :"schema".:"queue_ended"[];
begin
  perform :"schema".:"queue_require_autocommit"();
  select array_agg(a.claim), array_agg(a.members) into v_claims, v_members
  from (select u.claim, range_agg(u.members) as members
        from unnest(:"queue_complete".claims, :"queue_complete".members) u(claim, members)
        group by u.claim) a;
  v_locked := array(
    select c.claim from :"schema".:"queue_claims" c
    where c.worker = :"queue_complete".worker and c.claim = any(v_claims)
    order by c.claim
    for no key update skip locked  --@mutant no_row_lock_in_complete
  );

  with fresh as materialized (
    select c.claim, c.slot, c.keyed, f.done,
           a.members * int4multirange(int4range(0, c.n))
           - f.members  --@mutant finish_twice
           as members
    from unnest(v_claims, v_members) a(claim, members)
    join :"schema".:"queue_claims" c
      on c.worker = :"queue_complete".worker and c.claim = a.claim
    cross join lateral (
      select coalesce(sum(f.n), 0)::integer as done, coalesce(range_agg(f.members), '{}') as members
      from :"schema".:"queue_finished" f where f.claim = c.claim and f.slot = c.slot) f
    where a.claim = any(v_locked)
  ),
  inserted as (
    insert into :"schema".:"queue_finished" as f (claim, at, done, n, slot, outcome, members)
    select r.claim, clock_timestamp(), r.done,
           (select sum(upper(u) - lower(u)) from unnest(r.members) u), r.slot, 0, r.members
    from fresh r where not isempty(r.members)
    returning f.claim, f.members
  )
  select array_agg(i.claim), array_agg(i.members),
         (select bool_or(r.keyed) from fresh r)
  into v_done, v_done_members, v_keyed
  from inserted i;

  if v_keyed or (history and v_done is not null) then
    select array_agg(row(m.claim, m.ordinal, l.queue, l.priority, 0::smallint,
                         row(m.id, m.run_at, m.created_at, m.deadline, m.attempt, m.max_attempts,
                             m.unique_states, m.suspect, m.kind, m.key, m.unique_key, m.content_type,
                             m.headers, m.state, m.payload)::
                           :"schema".:"queue_body")::
                         :"schema".:"queue_ended")
    into v_ended
    from unnest(v_done, v_done_members) d(claim, members)
    join :"schema".:"queue_members" m
      on m.worker = :"queue_complete".worker and m.claim = d.claim and d.members @> m.ordinal
    join :"schema".:"queue_lanes" l on l.lane = m.lane
    where history or m.unique_key is not null;
    perform :"schema".:"queue_settle"(v_ended, history);
  end if;

  if cardinality(v_locked) < cardinality(v_claims) then
    v_there := array(select c.claim from :"schema".:"queue_claims" c
                     where c.worker = :"queue_complete".worker and c.claim = any(v_claims)
                       and c.claim <> all(v_locked));
    with gone as (
      delete from :"schema".:"queue_running" r
      using unnest(v_claims, v_members) a(claim, members)
      where r.claim = a.claim and r.worker = :"queue_complete".worker
        and a.members @> r.ordinal and a.claim <> all(v_locked) and a.claim <> all(v_there)
      returning r.*
    ),
    found as (
      select array_agg(row(g.claim, g.ordinal, l.queue, l.priority, 0::smallint,
                           row(g.id, g.run_at, g.created_at, g.deadline, g.attempt, g.max_attempts,
                               g.unique_states, g.suspect, g.kind, g.key, g.unique_key,
                               g.content_type, g.headers, g.state, g.payload)::
                             :"schema".:"queue_body")::
                           :"schema".:"queue_ended") as ended
      from gone g join :"schema".:"queue_lanes" l on l.lane = g.lane
    )
    select f.ended into v_ended from found f;
    if v_ended is not null then
      perform :"schema".:"queue_settle"(v_ended, history);
      select v_done || array_agg(e.claim), v_done_members || array_agg(e.members)
      into v_done, v_done_members
      from (select u.claim, range_agg(int4range(u.ordinal, u.ordinal + 1)) as members
            from unnest(v_ended) u group by u.claim) e;
    end if;
  end if;

  return query
    select a.claim, coalesce(d.members, '{}'), coalesce(a.claim = any(v_there), false)
    from unnest(v_claims) a(claim)
    left join unnest(v_done, v_done_members) d(claim, members) on d.claim = a.claim;
end
$body$;
