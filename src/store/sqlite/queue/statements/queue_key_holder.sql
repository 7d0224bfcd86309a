-- ?1 key. Returns: the id of the job that holds it.
select id from penstock_unique_keys where key = ?1
