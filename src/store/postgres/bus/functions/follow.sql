-- Puts behind picked heads of keys what may be claimed together with them, until there are enough. A
-- run ends at the first delivery that is not due or suspect.
--
-- picks, places   Of pick(); all heads of their keys.
-- run_limit       Deliveries of one handler and key, the head included.
-- most            Deliveries.
-- at              Now.
-- Returns: picks and places; a follower's place is null. Heads that no longer fit are left out.
-- Locks:   none.
-- Index:   deliveries_by_key.
-- Odd:     the inner limit stands on loops that go through the heads in order, so that no more rows
--          are read than are taken.
create or replace function :"schema".:"follow"(
  picks :"schema".:"deliveries"[], places integer[], run_limit integer, most integer,
  at timestamptz,
  out followed :"schema".:"deliveries"[], out followed_places integer[])
language plpgsql
as $body$
#variable_conflict use_column
begin
  select array_agg(k.row order by k.nth, k.depth), array_agg(k.place order by k.nth, k.depth)
  into followed, followed_places
  from (
    select r.row, r.place, r.nth, r.depth,
           row_number() over (partition by r.lane order by r.nth, r.depth) as in_lane
    from (
      select x.nth, x.depth, x.row, x.place, h.lane
      from unnest(:"follow".picks) with ordinality
        h(id, sequence, available_at, created_at, updated_at, event_id, attempts, claims, lane,
          suspect, status, handler, key, last_error, nth)
      cross join lateral (
        select h.nth, 0 as depth, :"follow".picks[h.nth] as row, :"follow".places[h.nth] as place
        union all
        select h.nth, n.depth, n.row, null
        from (
          select d as row, row_number() over (order by d.sequence) as depth,
                 bool_and(d.available_at <= :"follow".at and not d.suspect)
                   over (order by d.sequence) as ready
          from :"schema".:"deliveries" d
          where d.lane = h.lane and d.handler = h.handler and d.key = h.key
            and d.status = 'pending' and d.sequence > h.sequence
          order by d.sequence limit least(:"follow".run_limit, 64) - 1
        ) n
        where n.ready
      ) x
      limit :"follow".most
    ) r
  ) k
  where k.in_lane <= 64;
end
$body$;
