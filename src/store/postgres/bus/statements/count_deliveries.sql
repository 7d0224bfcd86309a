-- Deliveries by handler and standing. A scan: for the operator.
--
-- Returns: handler, pending and not in flight, due of those, in flight, dead, completed (rows of
--          0.1.0), oldest due in microseconds or null.
-- Locks:   none.
-- Index:   none that helps.
select d.handler,
       count(*) filter (where d.status = 'pending' and f.id is null),
       count(*) filter (where d.status = 'pending' and f.id is null and d.available_at <= t.now),
       count(*) filter (where d.status = 'pending' and f.id is not null),
       count(*) filter (where d.status = 'dead'),
       count(*) filter (where d.status = 'completed'),
       (extract(epoch from t.now - min(d.available_at) filter (
          where d.status = 'pending' and f.id is null and d.available_at <= t.now)) * 1000000)::bigint
from (select :"schema".:"now"() as now) t
cross join :"schema".:"deliveries" d
left join (select l.lane, unnest(l.in_flight) as id from :"schema".:"lanes" l) f
  on f.lane = d.lane and f.id = d.id
group by d.handler, t.now
