-- Stores the events of a chunk that are new.
--
-- $1 ids text[], $2 types text[], $3 keys text[] (with nulls), $4 payloads jsonb[],
-- $5 headers jsonb[]
-- Returns: the ids of those that are new.
-- Locks:   the events, in order of their ids.
-- Index:   the primary key.
insert into :"schema".:"events" (id, type, key, payload, headers, created_at)
select u.id, u.type, u.key, u.payload, u.headers, now()
from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[], $5::jsonb[])
  with ordinality u(id, type, key, payload, headers, place)
order by u.id, u.place
on conflict (id) do nothing
returning id
