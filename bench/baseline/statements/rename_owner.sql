-- Makes one worker the owner of what another holds.
--
-- $1 former text, $2 worker text
-- Locks:   the rows of the former.
-- Index:   deliveries_status_created_idx.
update :"schema".:"deliveries" set lease_owner = $2, updated_at = now()
where status = 'processing' and lease_owner = $1
