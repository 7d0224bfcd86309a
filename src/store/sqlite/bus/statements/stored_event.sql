-- What a repeated publish needs to know of the event that is there.
-- ?1 id
-- Returns: number, type, key.
-- Index:   penstock_events_by_id.
select number, type, key from penstock_events where id = ?1
