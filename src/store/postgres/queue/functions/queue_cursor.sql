-- Where the next claim of a lane begins: the `next` of its claims row with the greatest `first`.
--
-- A claimed row shares its slot with its claims row, so truncation takes both; what is left
-- unclaimed is never below what the remaining rows say.
--
-- lane  A lane.
-- Returns: a position; 0 where nothing says more.
-- Locks:   none. It counts only where the lane's row was locked in an earlier statement.
-- Index:   the primary key of queue_claims.
-- Odd:     stable, so that it sees what the statement sees that calls it: of that statement, rows and
--          cursor fit together. Assigned alone in a volatile function, it sees the latest.
create or replace function :"schema".:"queue_cursor"(lane integer) returns bigint
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
as $body$
begin
  return coalesce((
    select c.next from :"schema".:"queue_claims" c
    where true
      and c.lane = :"queue_cursor".lane  --@mutant drop_shard_from_cursor
    order by c.lane desc, c.first desc limit 1), 0);
end
$body$;
