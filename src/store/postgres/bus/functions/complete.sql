-- Completes deliveries: a completed delivery has no row. Never writes a lane: the next claim drops
-- ids whose rows are gone.
--
-- Against a takeover the race is decided on the row of the delivery: a takeover counts its claims
-- on, so a deletion that waited for it finds another number and leaves the row.
--
-- ids, lanes, epochs, claims   The tokens.
-- history                      Whether to keep a line of each in completed.
-- Returns: the places (from 1) of the tokens that held.
-- Locks:   the rows it deletes, in order of their ids, as a takeover does.
-- Index:   the primary keys of lanes and deliveries. The status is not mentioned, so that no index
--          on it, which a user may have added, can attract the planner.
-- Odd:     "is true" keeps the question about the lanes a hashed subplan, asked once per batch.
create or replace function :"schema".:"complete"(
  ids bigint[], lanes integer[], epochs bigint[], claims bigint[], history boolean)
returns setof integer
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
  if not :"complete".history then
    return query
      delete from :"schema".:"deliveries" d
      using (select * from unnest(:"complete".ids, :"complete".lanes, :"complete".epochs,
                                  :"complete".claims)
               with ordinality t(id, lane, epoch, claims, place) order by t.id, t.place) t
      where d.id = t.id and d.lane = t.lane
        and d.claims = t.claims  --@mutant drop_claims_check
        and ((t.lane, t.id, 0
              + t.epoch  --@mutant drop_epoch_check
             ) in (
          select l.lane, f.id, 0
                 + l.epoch  --@mutant drop_epoch_check
          from :"schema".:"lanes" l cross join unnest(l.in_flight) f(id)
          where l.lane = any(:"complete".lanes))) is true
      returning t.place::integer;
    return;
  end if;
  return query
    with gone as (
      delete from :"schema".:"deliveries" d
      using (select * from unnest(:"complete".ids, :"complete".lanes, :"complete".epochs,
                                  :"complete".claims)
               with ordinality t(id, lane, epoch, claims, place) order by t.id, t.place) t
      where d.id = t.id and d.lane = t.lane and d.claims = t.claims
        and ((t.lane, t.id, 0
              + t.epoch  --@mutant drop_epoch_check
             ) in (
          select l.lane, f.id, 0
                 + l.epoch  --@mutant drop_epoch_check
          from :"schema".:"lanes" l cross join unnest(l.in_flight) f(id)
          where l.lane = any(:"complete".lanes))) is true
      returning d.*, t.place
    ),
    kept as (
      insert into :"schema".:"completed"
        (id, sequence, available_at, created_at, completed_at, event_id, attempts, lane, suspect,
         handler, type, key, last_error)
      select g.id, g.sequence, g.available_at, g.created_at, :"schema".:"now"(), g.event_id,
             g.attempts, g.lane, g.suspect, g.handler, coalesce(e.type, ''), g.key, g.last_error
      from gone g left join :"schema".:"events" e on e.id = g.event_id
    )
    select g.place::integer from gone g;
end
$body$;
