-- How many deliveries there are, by handler.
--
-- Returns: handler, pending, due, in flight, dead, completed, how long the oldest has been due
--          (microseconds).
-- Locks:   none.
-- Index:   none that helps.
select d.handler,
       count(*) filter (where d.status = 'pending'),
       count(*) filter (where d.status = 'pending' and d.available_at <= now()),
       count(*) filter (where d.status = 'processing'),
       count(*) filter (where d.status = 'dead'),
       count(*) filter (where d.status = 'completed'),
       (extract(epoch from now() - min(d.available_at)
          filter (where d.status = 'pending' and d.available_at <= now())) * 1000000)::bigint
from :"schema".:"deliveries" d group by d.handler
