-- Puts one delivery off. A delay beyond any calendar means never.
--
-- $1 id text, $2 token text, $3 delay bigint (microseconds), $4 charge boolean, $5 error text
-- Locks:   its row.
-- Index:   the primary key.
update :"schema".:"deliveries"
set status = 'pending', attempts = attempts - case when $4 then 0 else 1 end,
    available_at = case when $3 > 3000000000000000000 then 'infinity'::timestamptz
                        else now() + greatest($3, 0) * interval '1 microsecond' end,
    last_error = case when $5 = '' then last_error else $5 end,
    updated_at = now(), lease_owner = null, lease_token = null, lease_expires_at = null
where id = $1 and lease_token = $2
