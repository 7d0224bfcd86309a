-- Which attempts that a worker runs have ended otherwise: cancelled, or rescued. For the process to
-- stop their handlers, at each beat and when it is woken.
--
-- worker             Who claimed.
-- claims, members    What it runs.
-- Returns: per claim with any: the ordinals that are no longer open.
-- Locks:   none.
-- Index:   queue_claims_by_worker, the primary keys of queue_finished and queue_running.
create or replace function :"schema".:"queue_lost"(
  worker bigint, claims bigint[], members int4multirange[])
returns table(claim bigint, lost int4multirange)
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
begin
  return query
    select a.claim, l.lost
    from unnest(:"queue_lost".claims, :"queue_lost".members) a(claim, members)
    left join :"schema".:"queue_claims" c
      on c.worker = :"queue_lost".worker and c.claim = a.claim
    cross join lateral (
      select case when c.claim is not null then a.members * coalesce(
               (select range_agg(f.members) from :"schema".:"queue_finished" f
                where f.claim = c.claim and f.slot = c.slot), '{}')
             else a.members - coalesce(
               (select range_agg(int4range(r.ordinal, r.ordinal + 1))
                from :"schema".:"queue_running" r
                where r.claim = a.claim and r.worker = :"queue_lost".worker), '{}') end as lost) l
    where not isempty(l.lost);
end
$body$;
