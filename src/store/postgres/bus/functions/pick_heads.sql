-- Picks the first deliveries of ordering keys, by a loose walk over the keys of lanes: a backlog
-- behind one key costs one step. For lanes whose scan in order of time was cut, because what came
-- first could not be claimed.
--
-- look    Of the claim.
-- names   Handlers to pick for.
-- lanes   To walk.
-- most    Deliveries to pick.
-- after   Where the last walk stopped: a key, or '' for the beginning.
-- at      Now.
-- Returns: picks; go_on: where this walk stopped, null where it came to its end.
-- Locks:   none.
-- Index:   deliveries_by_key.
create or replace function :"schema".:"pick_heads"(
  look :"schema".:"lane_look", names text[], lanes smallint[], most integer, after text,
  at timestamptz,
  out picks :"schema".:"deliveries"[], out go_on text)
language plpgsql
as $body$
#variable_conflict use_column
declare
  v_depth constant integer := 1024;
begin
  with recursive head as (
    select u.lane, n.handler, f.key, f.row
    from unnest(:"pick_heads".lanes) u(lane)
    cross join unnest(:"pick_heads".names) n(handler)
    cross join lateral (
      select d.key, d as row from :"schema".:"deliveries" d
      where d.lane = u.lane and d.handler = n.handler and d.key is not null
        and d.key > :"pick_heads".after and d.status = 'pending'
      order by d.key, d.sequence limit 1) f
    union all
    select h.lane, h.handler, f.key, f.row
    from head h
    cross join lateral (
      select d.key, d as row from :"schema".:"deliveries" d
      where d.lane = h.lane and d.handler = h.handler and d.key is not null
        and d.key > h.key and d.status = 'pending'
      order by d.key, d.sequence limit 1) f
  ),
  walked as materialized (select * from head h limit v_depth)
  select (select array_agg(p.row)
          from (select w.row from walked w
                where (w.row).available_at <= :"pick_heads".at and not (w.row).suspect
                  and ((w.row).id in (select unnest(look.live))) is not true
                  and ((w.lane, w.handler, w.key) in (
                    select b.lane, b.handler, b.key
                    from unnest(look.busy_lanes, look.busy_handlers, look.busy_keys)
                      b(lane, handler, key))) is not true
                limit :"pick_heads".most) p),
         (select min(l.key)
          from (select max(w.key) as key from walked w group by w.lane, w.handler) l
          where (select count(*) from walked) >= v_depth)
  into picks, go_on;
end
$body$;
