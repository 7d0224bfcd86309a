-- Takes waiting jobs out of their lanes: a tombstone each, and the bodies to the caller.
--
-- lanes, seqs   Where they stand, as queue_find() says.
-- Returns: those that did still wait there, with their lanes.
-- Locks:   rows of queue_lanes, sorted, for update: a claim passes them by meanwhile, so not many at
--          a time.
-- Index:   the primary keys of the ring tables.
-- Odd:     what waits is read by a later statement than the lock, and counted is what was inserted.
create or replace function :"schema".:"queue_take_out"(lanes integer[], seqs bigint[])
returns :"schema".:"queue_held"[]
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
  v_held :"schema".:"queue_held"[];
begin
  perform from :"schema".:"queue_lanes" l
  where l.lane in (select u.lane from unnest(:"queue_take_out".lanes) u(lane))
  order by l.lane
  for update  --@mutant no_row_lock_in_cancel
  ;

  with waiting as materialized (
    select r.*
    from (select distinct u.lane, u.seq
          from unnest(:"queue_take_out".lanes, :"queue_take_out".seqs) u(lane, seq)) u
    join :"schema".:"queue_ready" r on r.lane = u.lane and r.seq = u.seq
    where r.seq >= :"schema".:"queue_cursor"(r.lane)
      and not exists (select from :"schema".:"queue_tombstones" t
                      where t.lane = r.lane and t.seq = r.seq)
  ),
  inserted as (
    insert into :"schema".:"queue_tombstones" (seq, lane, slot)
    select w.seq, w.lane, w.slot from waiting w
    on conflict do nothing
    returning lane, seq
  )
  select array_agg(row(null, null, null, w.lane,
                       row(w.id, w.run_at, w.created_at, w.deadline, w.attempt, w.max_attempts,
                           w.unique_states, w.suspect, w.kind, w.key, w.unique_key, w.content_type,
                           w.headers, w.state, w.payload)::
                         :"schema".:"queue_body")::
                       :"schema".:"queue_held")
  into v_held
  from inserted i join waiting w on w.lane = i.lane and w.seq = i.seq;
  return coalesce(v_held, '{}');
end
$body$;
