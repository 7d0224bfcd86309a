-- Returns: queue, priority, scheduled, retrying, dead.
select queue, priority, sum(state = 'deferred' and attempts = 0),
  sum(state = 'deferred' and attempts > 0), sum(state = 'dead')
from penstock_jobs where state in ('deferred', 'dead') group by queue, priority
order by queue, priority
