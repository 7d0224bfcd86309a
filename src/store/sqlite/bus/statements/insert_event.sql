-- Stores an event, unless its id is there already: then no row changes.
-- ?1 id, ?2 type, ?3 key or null, ?4 content type, ?5 headers, ?6 handlers, ?7 now, ?8 payload
-- Locks:   the file, for writing.
-- Index:   penstock_events_by_id decides.
insert into penstock_events(id, type, key, content_type, headers, handlers, created_at, payload)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
on conflict(id) do nothing
