-- A worker that has stopped gives up what it still holds, at once.
--
-- $1 worker bigint
-- Locks:   its row.
-- Index:   the primary key of queue_workers.
-- Odd:     the row stays while a claim names it; queue_forget_workers() removes it.
update :"schema".:"queue_workers" w set dead = true where w.worker = $1
