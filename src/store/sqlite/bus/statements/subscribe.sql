-- Adds a handler, or replaces its patterns and attempts; keeps whether it is paused.
-- ?1 handler, ?2 JSON array of patterns, ?3 max attempts
-- Locks:   the file, for writing.
-- Index:   penstock_subscriptions' key.
insert into penstock_subscriptions(handler, types, max_attempts) values (?1, ?2, ?3)
on conflict(handler) do update set types = excluded.types, max_attempts = excluded.max_attempts
