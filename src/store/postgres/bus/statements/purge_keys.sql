-- Deletes ordering keys that have no delivery left.
--
-- $1 keys text[], locked by lock_old_keys in this transaction: nobody counts on them meanwhile.
-- Locks:   the rows it deletes.
-- Index:   the primary key of keys; deliveries_by_key where the planner can use it.
delete from :"schema".:"keys" k
where k.key = any($1::text[])
  and not exists (select from :"schema".:"deliveries" d where d.key = k.key)  --@mutant purge_in_one_look
