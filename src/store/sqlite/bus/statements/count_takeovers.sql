-- Counts takeovers for the statistics.
-- ?1 how many
-- Locks:   the file, for writing.
update penstock_meta set value = value + ?1 where name = 'takeovers'
