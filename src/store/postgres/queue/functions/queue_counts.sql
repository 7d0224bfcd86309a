-- How many jobs are where.
--
-- most     Null: exact. Else no lane is counted further than this, which costs little however deep
--          it is.
-- Returns: one row per queue, priority and shard with waiting or running jobs, claimed and completed
--          since setup; and one per queue and priority, with shard null, of what has none:
--          scheduled, retrying, dead.
-- Locks:   none.
-- Index:   the primary keys of the ring tables; scans of the small tables and of the claims.
create or replace function :"schema".:"queue_counts"(most bigint)
returns table(queue text, priority smallint, enqueue_shard smallint, waiting bigint, running bigint,
              claimed bigint, completed bigint, scheduled bigint, retrying bigint, dead bigint)
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set jit = off
set enable_mergejoin = off
as $body$
#variable_conflict use_column
begin
  return query
    with claims as (
      select c.lane, sum(c.n) as claimed, sum(c.n - coalesce(f.n, 0)) as running,
             sum(coalesce(f.completed, 0)) as completed
      from :"schema".:"queue_claims" c
      left join (select f.claim, sum(f.n) as n, sum(f.n) filter (where f.outcome = 0) as completed
                 from :"schema".:"queue_finished" f group by f.claim) f on f.claim = c.claim
      group by c.lane
    ),
    outlived as (
      select r.lane, count(*) as n from :"schema".:"queue_running" r group by r.lane
    )
    select l.queue, l.priority, l.enqueue_shard, w.n, coalesce(c.running, 0)::bigint + coalesce(o.n, 0),
           (coalesce(t.claimed, 0) + coalesce(c.claimed, 0))::bigint,
           (coalesce(t.completed, 0) + coalesce(c.completed, 0))::bigint, 0::bigint, 0::bigint, 0::bigint
    from :"schema".:"queue_lanes" l
    cross join lateral (select :"schema".:"queue_cursor"(l.lane) as cursor offset 0) k
    cross join lateral (
      select count(*) as n
      from (select from :"schema".:"queue_ready" r
            where r.lane = l.lane and r.seq >= k.cursor
              and not exists (select from :"schema".:"queue_tombstones" x
                              where x.lane = r.lane and x.seq = r.seq and x.slot = r.slot)
            limit most) r) w
    left join claims c on c.lane = l.lane
    left join outlived o on o.lane = l.lane
    left join :"schema".:"queue_totals" t on t.lane = l.lane
    union all
    select g.queue, g.priority, null, 0, 0, 0, 0, sum(g.scheduled)::bigint, sum(g.retrying)::bigint,
           sum(g.dead)::bigint
    from (select d.queue, d.priority, (d.attempt = 0)::integer as scheduled,
                 (d.attempt > 0)::integer as retrying, 0 as dead
          from :"schema".:"queue_deferred" d
          union all
          select d.queue, d.priority, 0, 0, 1 from :"schema".:"queue_dead" d) g
    group by g.queue, g.priority;
end
$body$;
