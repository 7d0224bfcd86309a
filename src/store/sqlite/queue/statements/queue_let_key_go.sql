-- ?1 key, ?2 id of who held it
delete from penstock_unique_keys where key = ?1 and id = ?2
