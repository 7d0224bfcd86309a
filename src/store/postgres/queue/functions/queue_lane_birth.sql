-- The number, beside queue_lane_lock(), of the advisory lock of whoever registers a lane: so that
-- others can see that one is under way, and take another lane.
--
-- queue, priority, enqueue_shard   The lane.
-- Returns: below -1; the lanes' own are above. Lanes that share one only wait for each other.
create or replace function :"schema".:"queue_lane_birth"(
  queue text, priority smallint, enqueue_shard smallint)
returns integer
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $body$
begin
  return -2 - (hashtext(priority || ' ' || enqueue_shard || ' ' || queue) & 1073741823);
end
$body$;
