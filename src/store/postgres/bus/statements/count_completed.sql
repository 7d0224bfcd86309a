-- Completed deliveries by handler.
--
-- Returns: handler, how many.
-- Locks:   none.
-- Index:   none that helps.
select c.handler, count(*) from :"schema".:"completed" c group by c.handler
