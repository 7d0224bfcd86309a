-- Writes jobs for which queue_reserve() made room. What is not named is null: these jobs were never
-- deferred, and have no unique key and no state.
--
-- Locks:   none but the new rows.
copy :"schema".:"queue_ready"(seq, lane, slot, id, run_at, deadline, attempt, max_attempts, suspect,
                              kind, key, content_type, headers, payload)
from stdin (format binary)
