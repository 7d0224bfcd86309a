-- Completes one delivery. The row stays.
--
-- $1 id text, $2 token text
-- Locks:   its row.
-- Index:   the primary key. The status is not mentioned, so that no index on it attracts the planner.
update :"schema".:"deliveries"
set status = 'completed', completed_at = now(), updated_at = now(), lease_owner = null,
    lease_token = null, lease_expires_at = null
where id = $1 and lease_token = $2
