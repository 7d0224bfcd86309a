-- Purpose:    says that a listener waits, so that publishers notify; repeated before it runs out.
-- Parameters: 1 worker text, 2 for how long in microseconds bigint, 3 channel text.
-- Columns:    listens boolean: whether this session does listen on the channel.
-- Locks:      the worker's own row.
-- Index:      primary key of workers.
-- Oddity:     it runs in the listening session itself, as the proof that the session is alive.
insert into :"schema".:"workers" as w (worker, waiting_until)
values ($1, :"schema".:"now"() + $2 * interval '1 microsecond')
on conflict (worker) do update set waiting_until = excluded.waiting_until
returning exists (select from pg_catalog.pg_listening_channels() c where c = $3) as listens
