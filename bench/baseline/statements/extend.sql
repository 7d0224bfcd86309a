-- Renews the lease of one delivery.
--
-- $1 id text, $2 token text, $3 lease bigint (microseconds)
-- Locks:   its row.
-- Index:   the primary key.
update :"schema".:"deliveries"
set lease_expires_at = now() + $3 * interval '1 microsecond',
    available_at = now() + $3 * interval '1 microsecond', updated_at = now()
where id = $1 and lease_token = $2
