-- Deliveries by handler and standing. A scan: for the operator, on the connection for reading.
-- ?1 now
-- Returns: handler, pending and not in flight, due of those, in flight, dead, oldest due or null.
-- Index:   none that helps; penstock_in_flight's key for each row.
select handler,
       sum(status = 'pending' and not running),
       sum(status = 'pending' and not running and available_at <= ?1),
       sum(status = 'pending' and running),
       sum(status = 'dead'),
       min(iif(status = 'pending' and not running and available_at <= ?1, available_at, null))
from (select d.handler, d.status, d.available_at,
             exists (select 1 from penstock_in_flight f
                     where f.lane = d.lane and f.delivery = d.id) as running
      from penstock_deliveries d)
group by handler
