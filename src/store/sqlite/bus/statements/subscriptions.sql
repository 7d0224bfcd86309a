-- Every subscription, one row per pattern.
-- Returns: handler, max attempts, paused, pattern.
-- Index:   penstock_subscriptions' key, whole.
select s.handler, s.max_attempts, s.paused, pattern.value
from penstock_subscriptions s, json_each(s.types) pattern
order by s.handler, pattern.key
