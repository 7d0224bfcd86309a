-- Lanes that were ever held; ascending. In flight is only what has a pending row: completion does
-- not write the lane.
--
-- Returns: lane, epoch, owner or null, expires at or null, deliveries in flight.
-- Locks:   none.
-- Index:   the primary key of deliveries.
select l.lane, l.epoch, l.lease_owner, l.lease_expires_at,
       array(select d.id from :"schema".:"deliveries" d
             where d.id = any(l.in_flight) and d.status || '' = 'pending' order by d.id)
from :"schema".:"lanes" l where l.epoch > 0 order by l.lane
