-- Picks due deliveries from some of the lanes that a claim may visit, lane by lane, oldest first.
-- Stops as soon as there are enough, so lanes behind that are not touched.
--
-- A keyed delivery is picked only if no earlier one of its handler and key is pending: one in
-- flight is pending too, so one probe answers. And none of its key may be in flight: a requeued
-- delivery can come before the one that runs.
--
-- Where suspects are about, more rows are read than wanted, so that they do not take the places of
-- what can be picked.
--
-- look         Of the claim.
-- names        Handlers to pick for.
-- first, last  Places in look.lanes.
-- most         Deliveries to pick.
-- depth        Rows to read in one lane: where they do not fill it, the scan of the lane is cut.
-- Returns: picks; keyed (one of them has a key); places (of each among the rows of its lane from the
--          start of reading);
--          suspects (that were met and could run); cut, cut_at, cut_ids (lanes whose scan was cut,
--          and the last row read).
-- Locks:   none.
-- Index:   deliveries_due; deliveries_by_key for the probes.
create or replace function :"schema".:"pick"(
  look :"schema".:"lane_look", names text[], first integer, last integer, most integer,
  depth integer,
  out picks :"schema".:"deliveries"[], out keyed boolean, out places integer[],
  out suspects :"schema".:"deliveries"[],
  out cut integer[], out cut_at timestamptz[], out cut_ids bigint[])
language plpgsql
as $body$
#variable_conflict use_column
begin
  select (array_agg(p.row) filter (where p.ready))[1 : :"pick".most],
         bool_or((p.row).key is not null) filter (where p.ready),
         (array_agg(p.place) filter (where p.ready))[1 : :"pick".most],
         array_agg(p.row) filter (where p.free and not p.ready),
         array_agg((p.row).lane) filter (where p.place = :"pick".depth),
         array_agg((p.row).available_at) filter (where p.place = :"pick".depth),
         array_agg((p.row).id) filter (where p.place = :"pick".depth)
  into picks, keyed, places, suspects, cut, cut_at, cut_ids
  from (
    select w.row, w.place, w.free, w.free and not (w.row).suspect as ready
    from unnest(look.lanes[:"pick".first : :"pick".last], look.start_at[:"pick".first : :"pick".last],
                look.start_id[:"pick".first : :"pick".last], look.until[:"pick".first : :"pick".last])
      u(lane, start_at, start_id, until)
    cross join lateral (
      select r.row, r.place, r.free
      from (
        select d.row, d.place::integer,
               d.handler = any(:"pick".names)
               and (d.key is null
                    or (true
                        and not exists (select from :"schema".:"deliveries" e where e.lane = u.lane and e.handler = d.handler and e.key = d.key and e.status = 'pending' and e.sequence < d.sequence)  --@mutant ignore_blocked_key
                        and ((u.lane, d.handler, d.key) in (
                          select b.lane, b.handler, b.key
                          from unnest(look.busy_lanes, look.busy_handlers, look.busy_keys)
                            b(lane, handler, key))) is not true)) as free
        from (
          select d as row, d.handler, d.key, d.sequence, row_number() over () as place
          from :"schema".:"deliveries" d
          where d.lane = u.lane and d.status = 'pending' and d.available_at <= u.until
            and (d.available_at, d.id) > (u.start_at, u.start_id)
            and (d.id in (select unnest(look.live))) is not true
          order by d.available_at, d.id
          limit :"pick".depth
        ) d
      ) r
      where r.free or r.place = :"pick".depth
      limit 64
    ) w
    limit :"pick".most + case when look.suspicious is null then 0 else 64 end
  ) p;
end
$body$;
