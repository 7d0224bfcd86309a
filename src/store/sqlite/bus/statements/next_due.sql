-- When the next delivery of one handler that is not due yet will be: the least of each lane's.
-- ?1 handler, ?2 suspect (0 or 1), ?3 now
-- Returns: available at, or null.
-- Index:   penstock_deliveries_to_claim; at most 256 jumps.
with recursive walk(lane) as (
  select min(d.lane) from penstock_deliveries d
  where d.status = 'pending' and d.head = 1 and d.handler = ?1 and d.suspect = ?2
  union all
  select (select min(d.lane) from penstock_deliveries d
          where d.status = 'pending' and d.head = 1 and d.handler = ?1 and d.suspect = ?2
            and d.lane > walk.lane)
  from walk where walk.lane is not null
)
select min((select min(d.available_at) from penstock_deliveries d
            where d.status = 'pending' and d.head = 1 and d.handler = ?1 and d.suspect = ?2
              and d.lane = walk.lane and d.available_at > ?3))
from walk where walk.lane is not null
