-- Gives back what a worker holds and does not run.
--
-- $1 worker text, $2 ids that run text[], $3 their tokens text[]
-- Locks:   the rows of the worker.
-- Index:   deliveries_status_created_idx.
update :"schema".:"deliveries"
set status = 'pending', attempts = attempts - 1, available_at = now(), updated_at = now(),
    lease_owner = null, lease_token = null, lease_expires_at = null
where status = 'processing' and lease_owner = $1
  and (id, lease_token) not in (select * from unnest($2::text[], $3::text[]))
