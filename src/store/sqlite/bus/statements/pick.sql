-- Picks due deliveries of one handler, lane by lane, from the lanes that are free or this worker's.
--
-- The walk jumps from one lane that has heads of the handler to the next, so rows of other
-- handlers, dead rows and rows behind the head of their key are never met, and rows that are not
-- due end the visit of their lane at once. What is met and left is in flight, which is bounded.
-- In a lane that this worker holds, nothing is taken that is younger than due work of a handler
-- that the claim does not name: the lane must come free, or that work would wait for ever.
-- A suspect is taken all the same: it runs alone, so the lane comes free after it.
--
-- ?1 handler, ?2 suspect (0 or 1), ?3 first lane, ?4 last lane, ?5 worker, ?6 now, ?7 limit,
-- ?8 JSON array of every handler the claim names
-- Returns: id, lane, handler, key, sequence, claims, attempts, suspect,
--          event number, event id, type, content type, headers, created at, payload.
-- Index:   penstock_deliveries_to_claim, for the walk and within a lane; the cross joins keep that
--          order, and the limit of visit keeps SQLite from working it out again for each row.
with recursive walk(lane) as (
  select min(d.lane) from penstock_deliveries d
  where d.status = 'pending' and d.head = 1 and d.handler = ?1 and d.suspect = ?2
    and d.lane >= ?3 and d.lane <= ?4
  union all
  select (select min(d.lane) from penstock_deliveries d
          where d.status = 'pending' and d.head = 1 and d.handler = ?1 and d.suspect = ?2
            and d.lane > walk.lane and d.lane <= ?4)
  from walk where walk.lane is not null
),
visit(lane, others_wait_since) as (
  select walk.lane,
         iif(?2 = 0 and l.lease_owner = ?5 and l.lease_expires_at > ?6,
             (select min((select o.available_at from penstock_deliveries o
                          where o.status = 'pending' and o.head = 1 and o.handler = s.handler
                            and o.suspect = k.suspect and o.lane = walk.lane
                            and o.available_at <= ?6
                            and not exists (select 1 from penstock_in_flight f
                                            where f.lane = o.lane and f.delivery = o.id)
                          order by o.available_at limit 1))
              from penstock_subscriptions s cross join (select 0 as suspect union all select 1) k
              where s.paused = 0 and s.handler not in (select value from json_each(?8))),
             null)
  from walk cross join penstock_lanes l on l.lane = walk.lane
  where l.lease_owner is null or l.lease_expires_at <= ?6 or l.lease_owner = ?5
  limit 256
)
select d.id, d.lane, d.handler, d.key, d.sequence, d.claims, d.attempts, d.suspect,
       e.number, e.id, e.type, e.content_type, e.headers, e.created_at, e.payload
from visit v
cross join penstock_deliveries d
  on d.status = 'pending' and d.head = 1 and d.handler = ?1 and d.suspect = ?2
  and d.lane = v.lane and d.available_at <= min(?6, ifnull(v.others_wait_since, ?6))
cross join penstock_events e on e.number = d.event
where not exists (select 1 from penstock_in_flight f where f.lane = d.lane and f.delivery = d.id)
  and (d.key is null
       or not exists (select 1 from penstock_in_flight f
                      where f.key = d.key and f.handler = d.handler))
limit ?7
