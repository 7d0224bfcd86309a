-- Follows the ordering keys of picked heads: the deliveries that come right behind them and may be
-- claimed together with them. A run ends at the first that is not due, suspect or in flight.
--
-- ?1 JSON array of the ids of heads, ?2 deliveries in a run (the head is the first), ?3 now
-- Returns: as pick.sql, and the id of the head; all seconds of the runs, then all thirds, ….
-- Index:   penstock_deliveries_by_key for each step.
with recursive run(head, id, depth) as (
  select head.value, head.value, 1 from json_each(?1) head
  union all
  select run.head,
         (select case when n.available_at <= ?3 and n.suspect = 0
                       and not exists (select 1 from penstock_in_flight f
                                       where f.lane = n.lane and f.delivery = n.id)
                      then n.id end
          from penstock_deliveries d
          cross join penstock_deliveries n
            on n.key = d.key and n.handler = d.handler and n.status = 'pending'
            and n.sequence > d.sequence
          where d.id = run.id
          order by n.sequence limit 1),
         run.depth + 1
  from run where run.id is not null and run.depth < ?2
)
select d.id, d.lane, d.handler, d.key, d.sequence, d.claims, d.attempts, d.suspect,
       e.number, e.id, e.type, e.content_type, e.headers, e.created_at, e.payload,
       run.head
from run
cross join penstock_deliveries d on d.id = run.id
cross join penstock_events e on e.number = d.event
where run.depth > 1
