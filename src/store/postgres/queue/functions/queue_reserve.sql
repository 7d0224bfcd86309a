-- Makes room for plain jobs, which the caller then copies into queue_ready in the same transaction:
-- a large batch costs less of the server that way than by queue_enqueue().
--
-- queues, priorities, keys, rotor   As queue_enqueue() has them.
-- Returns: the slot to write to, now, and for each place the lane and the position, which is the id.
-- Locks:   the advisory locks of the lanes, sorted, to the end of the transaction.
-- Index:   those of queue_route().
-- Odd:     wakes others here, though there is nothing to see before the commit: so is no
--          notification.
create or replace function :"schema".:"queue_reserve"(
  queues text[], priorities smallint[], keys text[], rotor integer,
  out slot smallint, out now timestamptz, out lanes integer[], out positions bigint[])
returns record
language plpgsql
set search_path = pg_catalog, pg_temp
as $body$
begin
  now := :"schema".:"now"();
  lanes := :"schema".:"queue_route"(queues, priorities, keys, rotor);
  select a.slot, a.positions into slot, positions
  from :"schema".:"queue_append"(cardinality(queues)) a;
  perform :"schema".:"wake"();
end
$body$;
