-- Adds a handler, or replaces its patterns and attempts; keeps whether it is paused.
--
-- $1 handler text, $2 patterns text[], $3 max attempts integer
-- Locks:   its row.
-- Index:   the primary key.
insert into :"schema".:"subscriptions" (handler, types, max_attempts) values ($1, $2, $3)
on conflict (handler) do update set types = excluded.types, max_attempts = excluded.max_attempts
