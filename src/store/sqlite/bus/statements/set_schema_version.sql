-- Records that a migration ran; in the migration's own transaction.
-- ?1 version
-- Locks:   the file, for writing.
insert into penstock_meta(name, value) values ('schema_version', ?1)
  on conflict(name) do update set value = excluded.value
