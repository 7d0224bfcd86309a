-- Claims the next jobs of a queue for a worker, lane by lane until the batch is half full, so that
-- others find lanes too. Records the batch in one row per lane and slot, and returns only that: the
-- caller commits, and reads the jobs by queue_bodies(). A claim that finds nothing writes nothing.
--
-- Lanes are visited by effective priority (one step better per `ageing` that the head has waited),
-- then by the age of the head. Jobs of any kind are claimed: one whose kind the process does not
-- run has to be given back (outcome snoozed), so that it neither blocks its lane nor fails.
--
-- worker        Of this process incarnation, registered and not dead.
-- queue         Its jobs only; none while it is paused.
-- batch         Most jobs.
-- batch_bytes   Of payloads together; a single job may exceed it.
-- ageing        Microseconds per step; 0 or less: off.
-- take_suspect  Whether nothing runs in the process: then, where a suspect is next in some lane, it
--               is the whole batch. Otherwise a lane is claimed up to its first suspect.
-- base          The first of 32 claim numbers that are the caller's: next_base of its last claim;
--               null: drawn here.
-- Returns: one row without claim first: next_base for the next call, suspects_wait (a lane waits for
--          take_suspect), lives (false: the worker was given up, and has to register anew). Then a row per claim: its number, lane, n (members), claimed_at.
-- Locks:   rows of queue_lanes for update, one by one, skipping locked ones; then unique keys that
--          jobs do not hold while they run.
-- Index:   the unique key of queue_lanes; the primary keys of the ring tables, (lane, position).
-- Raises:  PS001 outside READ COMMITTED. 23505 would mean a lost race that the locks let through.
-- Odd:     plans are pinned, because the tables are never analysed, empty, or huge. At most eight
--          rounds in a lane whose head was cancelled job by job.
create or replace function :"schema".:"queue_claim"(
  worker bigint, queue text, batch integer, batch_bytes bigint, ageing bigint,
  take_suspect boolean, base bigint)
returns table(claim bigint, lane integer, priority smallint, enqueue_shard smallint, n integer,
              claimed_at timestamptz, next_base bigint, suspects_wait boolean,
              lives boolean)
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_memoize = off
as $body$
#variable_conflict use_column
declare
  v_bases constant regclass := format('%I.%I', :'schema', :'queue_claim_base')::regclass;
  v_now constant timestamptz := :"schema".:"now"();
  v_lanes integer[];
  v_cursors bigint[];
  v_suspects boolean[];
  v_cursor bigint;
  v_suspect boolean;
  v_base bigint := coalesce(:"queue_claim".base, nextval(v_bases));
  v_used integer := 0;
  v_wait boolean := false;
  v_claims :"schema".:"queue_claims"[] := '{}';
  v_new :"schema".:"queue_claims"[];
  v_taken bigint := 0;
begin
  perform :"schema".:"queue_require_autocommit"();
  lives := exists (select from :"schema".:"queue_workers" w
                   where w.worker = :"queue_claim".worker and not w.dead);
  if lives and not exists (select from :"schema".:"queue_meta" m
                           where m.queue = :"queue_claim".queue and m.paused) then
    select array_agg(h.lane order by h.nth), array_agg(h.cursor order by h.nth),
           array_agg(h.suspect order by h.nth)
    into v_lanes, v_cursors, v_suspects
    from (
      select l.lane, k.cursor, r.suspect, row_number() over (
               order by not (r.suspect and take_suspect), e.effective, r.run_at, l.priority) as nth
      from :"schema".:"queue_lanes" l
      cross join lateral (select coalesce((
        select c.next from :"schema".:"queue_claims" c
        where c.lane = l.lane order by c.first desc limit 1), 0) as cursor) k
      cross join lateral (
        -- One that was cancelled is no suspect any more.
        select r.run_at, r.suspect and not exists (
                 select from :"schema".:"queue_tombstones" t
                 where t.lane = r.lane and t.seq = r.seq and t.slot = r.slot) as suspect
        from :"schema".:"queue_ready" r
        where r.lane = l.lane and r.seq >= k.cursor order by r.seq limit 1) r
      cross join lateral (select case when ageing <= 0 then l.priority::integer
        else greatest(1, l.priority - least(greatest(
          floor((date_part('epoch', v_now) - date_part('epoch', r.run_at)) * 1000000 / ageing),
          0), 32767)::integer)
        end as effective) e
      where l.queue = :"queue_claim".queue) h;
  end if;

  for v_nth in 1 .. coalesce(cardinality(v_lanes), 0) loop
    exit when v_taken * 2 >= batch or v_used > 16;
    if v_suspects[v_nth] and (not take_suspect or v_taken > 0) then
      v_wait := true;
      continue;
    end if;
    continue when not exists (
      select from :"schema".:"queue_lanes" l where l.lane = v_lanes[v_nth]
      for update skip locked  --@mutant no_row_lock_in_claim
    );
    v_cursor := v_cursors[v_nth];
    v_cursor := null;  --@mutant skip_recheck_after_lock
    select t.claims, t.suspect_next into v_new, v_suspect
    from :"schema".:"queue_claim_lane"(
      worker, v_lanes[v_nth], v_cursor, (batch - v_taken)::integer, batch_bytes,
      take_suspect and v_taken = 0, v_base + v_used) t;
    v_wait := v_wait or coalesce(v_suspect, false);
    v_claims := v_claims || v_new;
    v_used := v_used + cardinality(v_new);
    v_taken := v_taken + coalesce((select sum(u.n) from unnest(v_new) u), 0);
    -- A suspect that was taken is the whole batch.
    exit when v_suspect is null;
  end loop;

  next_base := case when v_used > 0 or :"queue_claim".base is null
                    then nextval(v_bases) else v_base end;
  suspects_wait := v_wait;
  return next;
  if v_taken > 0 then
    return query
      select u.claim, u.lane, l.priority, l.enqueue_shard, u.n, u.claimed_at, null::bigint,
             null::boolean, null::boolean
      from unnest(v_claims) u join :"schema".:"queue_lanes" l on l.lane = u.lane
      where u.n > 0;
  end if;
end
$body$;
