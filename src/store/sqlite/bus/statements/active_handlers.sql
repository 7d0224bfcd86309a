-- Of the handlers that a claim names, those that are subscribed and not paused.
-- ?1 JSON array of handler names
-- ?2 1 to take no heed of the pause: a named defect, else 0
-- Returns: handler.
-- Index:   penstock_subscriptions' key.
select s.handler
from json_each(?1) wanted cross join penstock_subscriptions s on s.handler = wanted.value
where s.paused = 0 or ?2
