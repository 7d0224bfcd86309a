-- Picks a batch: from a few lanes, and from all others where that does not fill it. One pass for the handlers
-- that have room for the whole batch, and one for each of the others.
--
-- look            Of the claim.
-- handlers, rooms As claim() has them.
-- names           Those of the handlers that are active and have room.
-- batch           Most deliveries.
-- run_limit       Most deliveries of one handler and key.
-- after           Where the last walk over keys stopped.
-- at              Now.
-- Returns: as pick(), where picks and places are never null; go_on as pick_heads().
-- Locks:   none.
create or replace function :"schema".:"pick_batch"(
  look :"schema".:"lane_look", handlers text[], rooms integer[], names text[], batch integer,
  run_limit integer, after text, at timestamptz,
  out picks :"schema".:"deliveries"[], out places integer[],
  out suspects :"schema".:"deliveries"[],
  out cut integer[], out cut_at timestamptz[], out cut_ids bigint[], out go_on text)
language plpgsql
as $body$
#variable_conflict use_column
declare
  v_wide constant boolean := :"pick_batch".batch <= all(:"pick_batch".rooms);
  v_groups bigint[] := '{0}';  -- 0: handlers with room for the batch; else the place of one handler
  v_group bigint;
  v_names text[];              -- of the group
  v_room integer;
  v_round record;
  v_walk record;
  v_picks :"schema".:"deliveries"[];
  v_places integer[];
  v_lanes smallint[];  -- to walk
  v_first integer;
  v_size integer;
  v_left integer;
begin
  picks := '{}';
  places := '{}';
  -- Mostly there is room for everything everywhere: one group then, found without a query.
  if not v_wide then
    select array_agg(g.place order by g.first) into v_groups
    from (select case when r.room >= :"pick_batch".batch then 0 else r.place end as place,
                 min(r.place) as first
          from unnest(:"pick_batch".handlers, :"pick_batch".rooms)
            with ordinality r(handler, room, place)
          where r.handler = any(:"pick_batch".names) group by 1) g;
  end if;
  foreach v_group in array v_groups loop
    if v_wide then
      v_names := :"pick_batch".names;
      v_room := :"pick_batch".batch;
    else
      select array_agg(r.handler), least(max(r.room), :"pick_batch".batch) into v_names, v_room
      from unnest(:"pick_batch".handlers, :"pick_batch".rooms)
        with ordinality r(handler, room, place)
      where r.handler = any(:"pick_batch".names)
        and case when r.room >= :"pick_batch".batch then 0 else r.place end = v_group;
    end if;
    v_first := 1;
    v_size := 8;
    v_left := least(v_room, :"pick_batch".batch - cardinality(picks));
    while v_left > 0 and v_first <= cardinality(look.lanes) and coalesce(cardinality(cut), 0) < 8
    loop
      v_round := :"schema".:"pick"(look, v_names, v_first, v_first + v_size - 1, v_left,
                                   2 * :"pick_batch".batch + 64);
      v_picks := v_round.picks;
      v_places := v_round.places;
      if v_picks is not null then
        if :"pick_batch".run_limit > 1 and v_round.keyed then
          select f.followed, f.followed_places into v_picks, v_places
          from :"schema".:"follow"(v_picks, v_places, :"pick_batch".run_limit, v_left,
                                   :"pick_batch".at) f;
        end if;
        picks := picks || v_picks;
        places := places || v_places;
        v_left := v_left - cardinality(v_picks);
      end if;
      suspects := coalesce(suspects, v_round.suspects);
      v_lanes := null;
      if v_round.cut is not null then
        cut := cut || v_round.cut;
        cut_at := cut_at || v_round.cut_at;
        cut_ids := cut_ids || v_round.cut_ids;
        v_lanes := v_round.cut::smallint[];
      end if;
      if 2 = any(look.starts[v_first:v_first + v_size - 1]) then
        select v_lanes || array_agg(u.lane) into v_lanes
        from unnest(look.lanes[v_first:v_first + v_size - 1],
                    look.starts[v_first:v_first + v_size - 1]) u(lane, start)
        where u.start = 2 and (u.lane = any(v_lanes)) is not true;
      end if;
      if v_lanes is not null and v_left > 0 then
        select look.live || array_agg(p.id) into look.live from unnest(v_picks) p;
        v_walk := :"schema".:"pick_heads"(look, v_names, v_lanes, v_left, :"pick_batch".after,
                                          :"pick_batch".at);
        v_picks := v_walk.picks;
        if v_picks is not null then
          v_places := array_fill(null::integer, array[cardinality(v_picks)]);
          if :"pick_batch".run_limit > 1 then
            select f.followed, f.followed_places into v_picks, v_places
            from :"schema".:"follow"(v_picks, v_places, :"pick_batch".run_limit, v_left,
                                     :"pick_batch".at) f;
          end if;
          picks := picks || v_picks;
          places := places || v_places;
          v_left := v_left - cardinality(v_picks);
        end if;
        go_on := least(go_on, v_walk.go_on);
      end if;
      v_first := v_first + v_size;
      v_size := cardinality(look.lanes);
    end loop;
  end loop;
end
$body$;
