-- Pauses or resumes a handler. No row changes where there is no such handler.
-- ?1 handler, ?2 paused (0 or 1)
-- Locks:   the file, for writing.
-- Index:   penstock_subscriptions' key.
update penstock_subscriptions set paused = ?2 where handler = ?1
