-- Gives back what no living worker holds: the open members of claims of dead and unknown workers are
-- charged an attempt, those of claims that their living worker does not know of are not.
--
-- batch      Most claims in this call; call again while it returns that many.
-- thorough   Also claims of living workers that an earlier call has passed; once a minute.
-- history    As in queue_complete().
-- Returns: claims with work that was given back, jobs given back, jobs buried by it.
-- Locks:   rows of queue_claims in the order of claims, skipping locked ones (there a completion is
--          under way, and wins); the rows of workers it notes its progress in.
-- Index:   queue_claims_by_worker, walked from worker to worker.
create or replace function :"schema".:"queue_rescue"(batch integer, thorough boolean,
                                                     history boolean)
returns table(claims integer, jobs integer, buried integer)
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
  v_row record;
  v_worker bigint;
  v_count bigint;
  v_buried bigint;
begin
  perform :"schema".:"queue_require_autocommit"();
  claims := 0;
  jobs := 0;
  buried := 0;
  v_worker := (select min(c.worker) from :"schema".:"queue_claims" c);
  while v_worker is not null and claims < batch loop
    for v_row in
      select c.claim, c.n, w.worker is null or w.dead as dead
      from (select v_worker as worker) v
      left join :"schema".:"queue_workers" w on w.worker = v.worker
      join :"schema".:"queue_claims" c
        on c.worker = v.worker
       and c.claim < case when w.worker is null or w.dead then 9223372036854775807
                          else w.oldest_open end
       and c.claim >= case when w.worker is null or w.dead or thorough then 0
                           else w.rescued_below end
      where c.n > coalesce((select sum(f.n) from :"schema".:"queue_finished" f
                            where f.claim = c.claim and f.slot = c.slot), 0)
      order by c.claim limit batch
    loop
      select count(*), count(*) filter (where f.outcome = 3) into v_count, v_buried
      from :"schema".:"queue_finish"(
        v_worker, array_fill(v_row.claim, array[v_row.n]),
        array(select generate_series(0, v_row.n - 1)),
        array_fill((case when v_row.dead then 5 else 6 end)::smallint, array[v_row.n]),
        array_fill(0::bigint, array[v_row.n]),
        array_fill(case when v_row.dead then
          'worker lost: its heartbeat stopped while the job was in flight' else '' end,
          array[v_row.n]),
        null, false, history) f;
      claims := claims + (v_count > 0)::integer;
      jobs := jobs + v_count;
      buried := buried + v_buried;
    end loop;
    if claims < batch then
      update :"schema".:"queue_workers" w set rescued_below = w.oldest_open
      where w.worker = v_worker and not w.dead and w.rescued_below < w.oldest_open;
    end if;
    v_worker := (select min(c.worker) from :"schema".:"queue_claims" c where c.worker > v_worker);
  end loop;

  for v_row in
    select r.worker, array_agg(r.claim) as claims, array_agg(r.ordinal) as ordinals,
           count(*)::integer as n, w.worker is null or w.dead as dead
    from :"schema".:"queue_running" r
    left join :"schema".:"queue_workers" w on w.worker = r.worker
    where w.worker is null or w.dead or r.claim < w.oldest_open
    group by r.worker, w.worker, w.dead
  loop
    select count(*), count(*) filter (where f.outcome = 3) into v_count, v_buried
    from :"schema".:"queue_finish"(
      v_row.worker, v_row.claims, v_row.ordinals,
      array_fill((case when v_row.dead then 5 else 6 end)::smallint, array[v_row.n]),
      array_fill(0::bigint, array[v_row.n]),
      array_fill(case when v_row.dead then
        'worker lost: its heartbeat stopped while the job was in flight' else '' end,
        array[v_row.n]),
      null, false, history) f;
    claims := claims + 1;
    jobs := jobs + v_count;
    buried := buried + v_buried;
  end loop;
  return next;
end
$body$;
