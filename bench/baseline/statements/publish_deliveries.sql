-- Stores a delivery for each event of a chunk and subscribed handler that has none yet.
--
-- $1 ids text[], $2 keys text[] (with nulls)
-- Returns: event id and handler of those that are new.
-- Locks:   the events, for key share.
-- Index:   the primary keys of events and keys; deliveries_event_handler_unique.
-- Odd:     an id that was there already gives numbers of its key away in vain; with another key than
--          it was stored with it gets nothing. Ids of deliveries are UUIDs: the half of the event's
--          that holds the time, so that they grow with it and the index at its end, and a random one.
with event as materialized (
  select e.id, e.type, e.key, u.place
  from unnest($1::text[], $2::text[]) with ordinality u(id, key, place)
  join :"schema".:"events" e on e.id = u.id and e.key is not distinct from u.key
),
matching as materialized (
  select t.type, s.handler
  from (select distinct e.type from event e) t
  join :"schema".:"subscriptions" s
    on exists (select from unnest(s.types) p(pattern)
               where p.pattern = '*' or p.pattern = t.type
                  or (right(p.pattern, 2) = '.*' and length(t.type) > length(p.pattern) - 1
                      and starts_with(t.type, left(p.pattern, -1))))
),
placed as (
  select u.place, k.sequence - count(*) over (partition by u.key)
         + row_number() over (partition by u.key order by u.place) as sequence
  from unnest($2::text[]) with ordinality u(key, place)
  join :"schema".:"keys" k on k.key = u.key
)
insert into :"schema".:"deliveries"
  (id, event_id, handler, key, sequence, available_at, created_at, updated_at)
select substr(e.id, 1, 19) || substr(gen_random_uuid()::text, 20), e.id, m.handler, e.key,
       p.sequence, now(), now(), now()
from event e
join matching m on m.type = e.type
left join placed p on p.place = e.place
order by e.place, m.handler
on conflict (event_id, handler) do nothing
returning event_id, handler
