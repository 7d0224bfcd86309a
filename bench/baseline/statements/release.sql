-- Gives one delivery back: due now, and the attempt that the claim counted is not charged.
--
-- $1 id text, $2 token text
-- Locks:   its row.
-- Index:   the primary key.
update :"schema".:"deliveries"
set status = 'pending', attempts = attempts - 1, available_at = now(), updated_at = now(),
    lease_owner = null, lease_token = null, lease_expires_at = null
where id = $1 and lease_token = $2
