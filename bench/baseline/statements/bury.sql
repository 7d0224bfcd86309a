-- Makes a dead letter of one delivery.
--
-- $1 id text, $2 token text, $3 reason text
-- Locks:   its row.
-- Index:   the primary key.
update :"schema".:"deliveries"
set status = 'dead', last_error = $3, updated_at = now(), lease_owner = null, lease_token = null,
    lease_expires_at = null
where id = $1 and lease_token = $2
