-- ?1 id
delete from penstock_jobs where id = ?1
