-- Where jobs stand now: at most one place each.
--
-- ids      Jobs.
-- Returns: of each that is found: place ('deferred', 'ready', 'running', 'dead'; a claimed job whose
--          attempt has ended is nowhere); ready: lane, slot, seq; running: its token, worker and lane.
-- Locks:   none: it may be elsewhere by the time of the answer.
-- Index:   the primary keys; queue_ready_moved; queue_ready is walked from lane to lane.
create or replace function :"schema".:"queue_find"(ids bigint[])
returns table(id bigint, place text, lane integer, slot smallint, seq bigint, claim bigint,
              ordinal integer, worker bigint)
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
    with recursive lanes as (
      (select r.lane from :"schema".:"queue_ready" r order by r.lane limit 1)
      union all
      select (select r.lane from :"schema".:"queue_ready" r where r.lane > p.lane
              order by r.lane limit 1)
      from lanes p where p.lane is not null
    ),
    rows as materialized (
      select r.id, r.lane, r.slot, r.seq
      from unnest(ids) u(id) cross join lanes p
      join :"schema".:"queue_ready" r on r.lane = p.lane and r.seq = u.id and r.id = u.id
      union all
      select r.id, r.lane, r.slot, r.seq
      from unnest(ids) u(id)
      join :"schema".:"queue_ready" r on r.id = u.id and r.id <> r.seq
    ),
    placed as (
      select w.*, w.seq >= :"schema".:"queue_cursor"(w.lane) as waits, c.claim, c.first, c.next, c.n,
             c.worker
      from rows w
      left join lateral (
        select c.* from :"schema".:"queue_claims" c
        where c.lane = w.lane and c.slot = w.slot and c.first <= w.seq
        order by c.first desc limit 1) c on true
      where not exists (select from :"schema".:"queue_tombstones" t
                        where t.lane = w.lane and t.seq = w.seq and t.slot = w.slot)
    )
    select p.id, 'ready', p.lane, p.slot, p.seq, null::bigint, null::integer, null::bigint
    from placed p where p.waits
    union all
    select p.id, 'running', p.lane, p.slot, p.seq, p.claim, m.ordinal, p.worker
    from placed p
    cross join lateral (
      select m.ordinal from :"schema".:"queue_members" m
      where m.worker = p.worker and m.claim = p.claim and m.seq = p.seq) m
    where not p.waits and p.seq < p.next
      and not coalesce((select range_agg(f.members) from :"schema".:"queue_finished" f
                        where f.claim = p.claim), '{}') @> m.ordinal
    union all
    select d.id, 'deferred', d.lane, null, null, null, null, null
    from unnest(ids) u(id) join :"schema".:"queue_deferred" d on d.id = u.id
    union all
    select d.id, 'dead', null, null, null, null, null, null
    from unnest(ids) u(id) join :"schema".:"queue_dead" d on d.id = u.id
    union all
    select r.id, 'running', r.lane, null, null, r.claim, r.ordinal, r.worker
    from :"schema".:"queue_running" r where r.id = any(ids);
end
$body$;
