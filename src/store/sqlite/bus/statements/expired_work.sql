-- What was in flight under leases that have expired: to be charged. `id` is null where the delivery
-- is gone.
-- ?1 now
-- Returns: lane, id, handler, key, attempts, suspect, max attempts or null.
-- Index:   the 256 lanes, whole; penstock_in_flight's key.
select l.lane, d.id, d.handler, d.key, d.attempts, d.suspect, s.max_attempts
from penstock_lanes l
cross join penstock_in_flight f on f.lane = l.lane
left join penstock_deliveries d on d.id = f.delivery and d.status = 'pending'
left join penstock_subscriptions s on s.handler = d.handler
where l.lease_owner is not null and l.lease_expires_at <= ?1
