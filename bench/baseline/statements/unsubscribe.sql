-- Takes a subscription away. Pending deliveries stay.
--
-- $1 handler text
-- Locks:   its row.
-- Index:   the primary key.
delete from :"schema".:"subscriptions" where handler = $1
