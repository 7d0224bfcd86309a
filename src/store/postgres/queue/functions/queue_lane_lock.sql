-- The class of the store's advisory locks; beside it stands a lane's number, or -1 for the ring.
--
-- Returns: the number of the table queue_lanes, which no other store has.
-- Odd:     two-number advisory locks never meet those of one number, which setup takes. Immutable,
--          though it looks a name up: the number lives as long as this function, and plans keep it.
create or replace function :"schema".:"queue_lane_lock"() returns integer
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $body$
begin
  return format('%I.%I', :'schema', :'queue_lanes')::regclass::oid::integer;
end
$body$;
