-- Adds the delivery of one event to one handler. It heads its key where nothing of that handler and
-- key is pending before it.
-- ?1 event number, ?2 handler, ?3 key or null, ?4 sequence or null, ?5 lane, ?6 now
-- ?7 1 to take no heed of the key: a named defect, else 0
-- Locks:   the file, for writing.
-- Index:   penstock_deliveries_by_key for the head.
insert into penstock_deliveries(event, handler, key, sequence, lane, head,
                                available_at, created_at, updated_at)
values (?1, ?2, ?3, ?4, ?5,
        ?3 is null
        or ?7
        or not exists (select 1 from penstock_deliveries d
                       where d.key = ?3 and d.handler = ?2 and d.status = 'pending'),
        ?6, ?6, ?6)
