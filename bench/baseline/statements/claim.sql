-- Claims a batch: due rows by due time, each locked and written. An expired lease is due as well.
--
-- $1 worker text, $2 handlers text[], $3 rooms integer[], $4 batch integer,
-- $5 lease bigint (microseconds), $6 token text
-- Returns: id, handler, sequence, attempts before this one, event id, published at, type, key,
--          headers, payload.
-- Locks:   the rows it looks at, skipping those that others hold; some of them it leaves.
-- Index:   deliveries_due_unkeyed_idx without a key; with one deliveries_due_idx, and
--          deliveries_key_idx for the first unfinished of a handler and key.
-- Odd:     what lies at the front of the queue may wait for an earlier one of its key, all of it:
--          going on through it would take as long as the queue is. So of the front each key is
--          looked at once; where that does not fill the batch, the keys are walked, from each to the
--          next. "now()" is not qualified, so that a test can put a clock of its own before it.
with recursive active as materialized (
  select r.handler, r.room
  from unnest($2::text[], $3::integer[]) r(handler, room)
  join :"schema".:"subscriptions" s on s.handler = r.handler
  where r.room > 0 and not s.paused
),
unkeyed as materialized (
  select d.id, d.handler, d.available_at
  from :"schema".:"deliveries" d
  where d.key is null and d.status in ('pending', 'processing') and d.available_at <= now()
    and d.handler = any(array(select a.handler from active a))
  order by d.available_at, d.id
  limit $4::integer
  for update of d skip locked
),
front as materialized (
  select d.id, d.handler, d.key, d.sequence, d.available_at
  from :"schema".:"deliveries" d
  where d.status in ('pending', 'processing') and d.available_at <= now()
    and exists (select from :"schema".:"deliveries" k
                where k.key is not null and k.status in ('pending', 'processing'))
  order by d.available_at, d.id
  limit 4 * $4::integer + 200
),
keyed as materialized (
  select d.id, d.handler, d.available_at
  from (select h.*
        from (select distinct on (f.handler, f.key) f.* from front f
              where f.key is not null and f.handler = any(array(select a.handler from active a))
              order by f.handler, f.key, f.sequence) h
        order by h.available_at, h.id
        offset 0) h
  cross join lateral (
    select f.sequence from :"schema".:"deliveries" f
    where f.handler = h.handler and f.key = h.key and f.status in ('pending', 'processing')
    order by f.sequence limit 1) f
  join :"schema".:"deliveries" d on d.id = h.id
  where f.sequence = h.sequence and d.status in ('pending', 'processing')
    and d.available_at <= now()
  limit $4::integer
  for update of d skip locked
),
walk as (
  (select d.handler, d.key, d.id, d.available_at, 1 as steps
   from :"schema".:"deliveries" d
   where d.key is not null and d.status in ('pending', 'processing')
     and (select count(*) from front) >= 4 * $4::integer + 200
     and (select count(*) from unkeyed) + (select count(*) from keyed) < $4::integer
   order by d.handler, d.key, d.sequence
   limit 1)
  union all
  select n.handler, n.key, n.id, n.available_at, w.steps + 1
  from walk w
  cross join lateral (
    select d.handler, d.key, d.id, d.available_at
    from :"schema".:"deliveries" d
    where d.key is not null and d.status in ('pending', 'processing')
      and (d.handler, d.key) > (w.handler, w.key)
    order by d.handler, d.key, d.sequence
    limit 1) n
  where w.steps < 1000
),
walked as materialized (
  select d.id, d.handler, d.available_at
  from :"schema".:"deliveries" d
  where d.status in ('pending', 'processing') and d.available_at <= now()
    and d.id = any(array(select w.id from walk w join active a on a.handler = w.handler
                         where w.available_at <= now()
                         order by w.available_at limit $4::integer))
  for update of d skip locked
),
chosen as (
  select p.id
  from (select f.*, row_number() over (partition by f.handler order by f.available_at, f.id) as place
        from (select * from unkeyed union select * from keyed union select * from walked) f) p
  join active a on a.handler = p.handler
  where p.place <= a.room
  order by p.available_at, p.id
  limit $4::integer
)
update :"schema".:"deliveries" d
set status = 'processing', attempts = d.attempts + 1, lease_owner = $1, lease_token = $6,
    lease_expires_at = now() + $5 * interval '1 microsecond',
    available_at = now() + $5 * interval '1 microsecond', updated_at = now()
from :"schema".:"events" e
where d.id = any(array(select c.id from chosen c)) and e.id = d.event_id
returning d.id, d.handler, d.sequence, d.attempts - 1, d.event_id, e.created_at, e.type, e.key,
          e.headers, e.payload
