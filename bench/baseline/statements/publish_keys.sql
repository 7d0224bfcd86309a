-- Counts the ordering keys of a chunk on, and holds them to the commit: that makes the order within
-- a key the order of commits.
--
-- $1 keys text[] (with nulls)
-- Locks:   the rows of the keys, in order of their bytes.
-- Index:   the primary key.
insert into :"schema".:"keys" as k (key, sequence)
select u.key, count(*) from unnest($1::text[]) u(key) where u.key is not null
group by u.key order by u.key collate "C"
on conflict (key) do update set sequence = k.sequence + excluded.sequence
