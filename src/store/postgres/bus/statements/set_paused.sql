-- Pauses or resumes a handler. No row changes where there is no such handler. Whoever waits hears
-- of a handler that goes on.
--
-- $1 handler text, $2 paused boolean
-- Returns: one row where there is such a handler.
-- Locks:   its row.
-- Index:   the primary key of subscriptions.
update :"schema".:"subscriptions" s set paused = $2 where s.handler = $1
returning case when not $2 then :"schema".:"wake"() end
