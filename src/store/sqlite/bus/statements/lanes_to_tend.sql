-- Whether there is anything to do for a claim besides picking: a lease that expired over work in
-- flight, or a lane of this worker that runs nothing.
-- ?1 worker, ?2 now
-- Returns: takeover due, idle lane held.
-- Index:   the 256 lanes, whole; penstock_in_flight's key.
select coalesce(max(lease_expires_at <= ?2
                    and exists (select 1 from penstock_in_flight f where f.lane = l.lane)), 0),
       coalesce(max(lease_owner = ?1
                    and not exists (select 1 from penstock_in_flight f where f.lane = l.lane)), 0)
from penstock_lanes l where lease_owner is not null
