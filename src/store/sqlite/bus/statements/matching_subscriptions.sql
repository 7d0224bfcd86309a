-- Who gets which events: one row per handler and pattern. Read at the beginning of each publish.
-- Returns: handler, pattern.
-- Index:   penstock_subscriptions' key, whole.
select s.handler, pattern.value
from penstock_subscriptions s, json_each(s.types) pattern
order by s.handler
