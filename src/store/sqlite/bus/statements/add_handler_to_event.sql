-- Remembers that an event has now had a delivery for one more handler.
-- ?1 event number, ?2 handler
-- Locks:   the file, for writing.
-- Index:   penstock_events' rowid.
update penstock_events set handlers = json_insert(handlers, '$[#]', ?2) where number = ?1
