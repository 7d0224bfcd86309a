-- Raises sequences that a restore left behind; see functions/queue_guard.sql.
--
-- Returns: whether one was behind.
-- Locks:   as the function.
select :"schema".:"queue_guard"()
