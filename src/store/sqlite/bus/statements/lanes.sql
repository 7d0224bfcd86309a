-- Lanes that were ever held, one row for each delivery in flight; ascending.
-- Returns: lane, epoch, owner or null, expires at or null, delivery or null.
-- Index:   penstock_lanes' rowid, penstock_in_flight's key.
select l.lane, l.epoch, l.lease_owner, l.lease_expires_at, f.delivery
from penstock_lanes l left join penstock_in_flight f on f.lane = l.lane
where l.epoch > 0
order by l.lane, f.delivery
