-- Queues with deferred jobs; see functions/queue_due.sql.
--
-- Returns: queue, microseconds until its first job is due; 0 or less: it is; at most a day.
-- Locks:   none.
select d.queue,
       (extract(epoch from least(d.run_at, n.now + interval '1 day') - n.now) * 1000000)::bigint
from (select :"schema".:"now"() as now) n cross join :"schema".:"queue_due"() d
