-- Locks the counters of ordering keys for a batch of several chunks, so that two such batches do
-- not wait for each other: chunk by chunk the keys would not be locked in order.
--
-- $1 keys text[], each once
-- Locks:   the rows of the keys, in order of their bytes, to the end of the transaction.
-- Index:   the primary key of keys.
insert into :"schema".:"keys" as k (key, sequence, used_at)
select u.key, 0, :"schema".:"now"() from unnest($1::text[]) u(key) order by u.key collate "C"
on conflict (key) do update set used_at = excluded.used_at
