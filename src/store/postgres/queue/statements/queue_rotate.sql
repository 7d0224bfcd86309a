-- Makes the next empty slot current; see functions/queue_rotate.sql.
--
-- Returns: rotated, busy, idle or full.
-- Locks:   as the function.
select :"schema".:"queue_rotate"()
