-- Puts behind picked heads of keys what may be claimed together with them, and cuts the batch to
-- its limits. A run ends at the first delivery that is not due or suspect.
--
-- picks, places   Of pick(); all heads of their keys.
-- run_limit       Deliveries of one handler and key, the head included.
-- batch           Most deliveries.
-- handlers, rooms Most deliveries of each handler.
-- at              Now.
-- Returns: picks and places; a follower's place is null.
-- Locks:   none.
-- Index:   deliveries_by_key.
create or replace function :"schema".:"follow"(
  picks :"schema".:"deliveries"[], places integer[], run_limit integer, batch integer,
  handlers text[], rooms integer[], at timestamptz,
  out followed :"schema".:"deliveries"[], out followed_places integer[])
language plpgsql
as $body$
#variable_conflict use_column
begin
  select array_agg(c.row order by c.nth, c.depth), array_agg(c.place order by c.nth, c.depth)
  into followed, followed_places
  from (
    select k.row, k.place, k.nth, k.depth,
           row_number() over (order by k.nth, k.depth) as in_batch
    from (
      select r.row, r.place, r.nth, r.depth, (r.row).handler,
             row_number() over (partition by (r.row).handler order by r.nth, r.depth) as in_handler,
             row_number() over (partition by (r.row).lane order by r.nth, r.depth) as in_lane
      from (
        select h.nth, 0 as depth, :"follow".picks[h.nth] as row, h.place
        from unnest(:"follow".places) with ordinality h(place, nth)
        union all
        select h.nth, n.depth, n.row, null
        from unnest(:"follow".picks) with ordinality
          h(id, sequence, available_at, created_at, updated_at, event_id, attempts, claims, lane,
            suspect, status, handler, key, last_error, nth)
        cross join lateral (
          select d as row, row_number() over (order by d.sequence) as depth,
                 bool_and(d.available_at <= :"follow".at and not d.suspect)
                   over (order by d.sequence) as ready
          from :"schema".:"deliveries" d
          where d.lane = h.lane and d.handler = h.handler and d.key = h.key
            and d.status = 'pending' and d.sequence > h.sequence
          order by d.sequence limit :"follow".run_limit - 1
        ) n
        where h.key is not null and n.ready
      ) r
    ) k
    where k.in_lane <= 64
      and k.in_handler <= (select r.room from unnest(:"follow".handlers, :"follow".rooms) r(handler, room)
                           where r.handler = k.handler)
  ) c
  where c.in_batch <= :"follow".batch;
end
$body$;
