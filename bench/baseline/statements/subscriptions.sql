-- Every subscription, by name.
--
-- Returns: handler, types, max attempts, paused.
-- Locks:   none.
-- Index:   none that helps.
select s.handler, s.types, s.max_attempts, s.paused
from :"schema".:"subscriptions" s order by s.handler collate "C"
