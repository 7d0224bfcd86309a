-- Queues with deferred jobs; see functions/queue_due.sql.
--
-- Returns: queue, first due at.
-- Locks:   none.
select * from :"schema".:"queue_due"()
