-- Completed deliveries by handler.
-- Returns: handler, how many.
-- Index:   none that helps.
select handler, count(*) from penstock_completed group by handler
