-- Deletes events that have no delivery left.
--
-- $1 ids uuid[], locked by lock_old_events in this transaction: nobody adds a delivery meanwhile.
-- Locks:   the rows it deletes.
-- Index:   the primary key of events, deliveries_by_event.
delete from :"schema".:"events" e
where e.id = any($1::uuid[])
  and not exists (select from :"schema".:"deliveries" d where d.event_id = e.id)  --@mutant purge_in_one_look
