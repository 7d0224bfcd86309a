-- The one clock.
--
-- Returns: now.
-- Locks:   none.
select :"schema".:"now"()
