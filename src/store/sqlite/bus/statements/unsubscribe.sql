-- Takes a subscription away. Pending deliveries stay.
-- ?1 handler
-- Locks:   the file, for writing.
-- Index:   penstock_subscriptions' key.
delete from penstock_subscriptions where handler = ?1
