-- Returns: the number of events, now.
-- Locks:   none.
-- Index:   the primary key.
select count(*), now() from :"schema".:"events"
