-- Takes a subscription away. Pending deliveries stay.
--
-- $1 handler text
-- Locks:   its row.
-- Index:   the primary key of subscriptions.
delete from :"schema".:"subscriptions" where handler = $1
