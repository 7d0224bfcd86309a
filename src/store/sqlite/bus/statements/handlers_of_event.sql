-- Every handler that an event ever had a delivery for.
-- ?1 event number
-- Returns: handler.
-- Index:   penstock_events' rowid.
select handler.value from penstock_events e, json_each(e.handlers) handler where e.number = ?1
