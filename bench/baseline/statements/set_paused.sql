-- Pauses or resumes a handler. No row changes where there is no such handler.
--
-- $1 handler text, $2 paused boolean
-- Locks:   its row.
-- Index:   the primary key.
update :"schema".:"subscriptions" set paused = $2 where handler = $1
