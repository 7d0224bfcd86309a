-- Makes room for a large batch; see functions/queue_reserve.sql. queue_copy.sql follows, in the same
-- transaction.
--
-- $1 queues text[], $2 priorities smallint[], $3 keys text[] (with nulls), $4 rotor integer
-- Returns: slot, now, lanes, positions.
-- Locks:   as the function.
select r.slot, r.now, r.lanes, r.positions
from :"schema".:"queue_reserve"($1, $2, $3, $4) r
