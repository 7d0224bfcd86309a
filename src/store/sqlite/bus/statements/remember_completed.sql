-- Keeps deliveries that are about to be deleted in the history. Only with completion_history.
-- ?1 JSON array of ids, ?2 now
-- Locks:   the file, for writing.
-- Index:   rowids.
insert into penstock_completed(id, event_id, handler, type, key, sequence, lane, attempts, suspect,
                               available_at, created_at, completed_at, last_error)
select d.id, e.id, d.handler, e.type, d.key, d.sequence, d.lane, d.attempts, d.suspect,
       d.available_at, d.created_at, ?2, d.last_error
from json_each(?1) t
cross join penstock_deliveries d on d.id = t.value
cross join penstock_events e on e.number = d.event
