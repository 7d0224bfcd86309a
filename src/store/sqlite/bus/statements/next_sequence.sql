-- Draws the next position within an ordering key. The one write lock of the file is held from here
-- to the commit, so the order of positions is the commit order.
-- ?1 key, ?2 now
-- Returns: sequence.
-- Locks:   the file, for writing.
-- Index:   penstock_keys' key.
insert into penstock_keys(key, sequence, used_at) values (?1, 1, ?2)
on conflict(key) do update set sequence = sequence + 1, used_at = excluded.used_at
returning sequence
