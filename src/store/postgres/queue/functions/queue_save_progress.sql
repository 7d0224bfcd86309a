-- Keeps what a running attempt wants its next to know. At the end of the attempt it moves into the
-- job.
--
-- worker, claim, ordinal   The attempt.
-- progress  Json.
-- Returns: false where the attempt is over.
-- Locks:   the claim's row, or that of queue_running.
-- Index:   queue_claims_by_worker, the primary keys of queue_finished, queue_running, queue_progress.
-- Odd:     what is open is read by a later statement than the lock.
create or replace function :"schema".:"queue_save_progress"(
  worker bigint, claim bigint, ordinal integer, progress jsonb)
returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
as $body$
#variable_conflict use_column
declare
  v_open boolean;
begin
  perform :"schema".:"queue_require_autocommit"();
  perform from :"schema".:"queue_claims" c
  where c.worker = :"queue_save_progress".worker and c.claim = :"queue_save_progress".claim
  for no key update;
  if found then
    v_open := exists (
      select from :"schema".:"queue_claims" c
      where c.worker = :"queue_save_progress".worker and c.claim = :"queue_save_progress".claim
        and :"queue_save_progress".ordinal >= 0 and :"queue_save_progress".ordinal < c.n
        and not exists (select from :"schema".:"queue_finished" f
                        where f.claim = c.claim and f.slot = c.slot
                          and f.members @> :"queue_save_progress".ordinal));
  else
    perform from :"schema".:"queue_running" r
    where r.claim = :"queue_save_progress".claim and r.ordinal = :"queue_save_progress".ordinal
      and r.worker = :"queue_save_progress".worker
    for no key update;
    v_open := found;
  end if;
  if v_open then
    insert into :"schema".:"queue_progress" as p (claim, ordinal, progress)
    values (:"queue_save_progress".claim, :"queue_save_progress".ordinal,
            :"queue_save_progress".progress)
    on conflict (claim, ordinal) do update set progress = excluded.progress;
  end if;
  return v_open;
end
$body$;
