-- Purpose:    the proof that a listening session is alive, where it need not say that it waits.
-- Parameters: 1 channel text.
-- Columns:    listens boolean.
-- Locks:      none.
-- Index:      none.
select exists (select from pg_catalog.pg_listening_channels() c where c = $1) as listens
