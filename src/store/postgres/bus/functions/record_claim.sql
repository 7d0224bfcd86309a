-- Leases the lanes of a batch, records what is in flight in them, and hands back the lanes of this
-- worker that run nothing: one row per lane. Lanes that another has changed since the look, or that
-- are locked, are left; their picks were not claimed.
--
-- The low-water mark moves to the last pick before which nothing was left, but not into the last
-- 500 ms, in which a publisher's transaction may yet commit with an older time; what commits later
-- than that is found when the lane is read from its first row again, a second and 1 ms for each id
-- that went after the last time.
--
-- look            Of the claim.
-- picks, places   The batch.
-- worker, lease   Owner; microseconds.
-- at              Now.
-- Returns: 256 epochs by lane; 0 where nothing was claimed.
-- Locks:   lanes, in order, for no key update, skipping locked ones.
-- Index:   the primary keys of lanes, and of deliveries for suspects.
-- Odd:     arrays by lane instead of joins, so that no plan compares every lane with every other.
create or replace function :"schema".:"record_claim"(
  look :"schema".:"lane_look", picks :"schema".:"deliveries"[], places integer[],
  worker text, lease bigint, at timestamptz)
returns bigint[]
language plpgsql
as $body$
#variable_conflict use_column
declare
  v_expiry constant timestamptz := :"schema".:"due_after"(:"record_claim".lease);
  v_ids bigint[];        -- of the batch, lane by lane
  v_batch smallint[];    -- its lanes, and beside each …
  v_from integer[];      -- … where its ids begin and …
  v_to integer[];        -- … end in v_ids, and …
  v_mark_at timestamptz[];
  v_mark_id bigint[];    -- … how far the mark may move.
  v_lanes smallint[];    -- to be written, those of the batch first; and their versions
  v_versions xid[];
  v_starts smallint[];
  v_locked smallint[];
  v_epochs bigint[] := array_fill(0::bigint, array[256]);
  v_row record;
begin
  with picked as (
    select p.lane, p.id, p.available_at, p.place,
           row_number() over (order by p.lane, p.available_at, p.id) as nth,
           row_number() over (partition by p.lane order by p.available_at, p.id) as in_lane
    from unnest(:"record_claim".picks, :"record_claim".places)
      p(id, sequence, available_at, created_at, updated_at, event_id, attempts, claims, lane,
        suspect, status, handler, key, last_error, place)
  ),
  batch as (
    select p.lane, array_agg(p.id order by p.nth) as ids, min(p.nth) as first, max(p.nth) as last,
           max(p.nth) filter (where p.place = p.in_lane
                                and p.available_at <= :"record_claim".at - interval '500 ms') as upto,
           array_agg(p.available_at order by p.nth) as times
    from picked p group by p.lane
  )
  select array_agg(b.lane order by b.lane), array_agg(b.first order by b.lane),
         array_agg(b.last order by b.lane),
         array_agg(b.times[b.upto - b.first + 1] order by b.lane),
         array_agg(b.ids[b.upto - b.first + 1] order by b.lane),
         (select array_agg(p.id order by p.nth) from picked p)
  into v_batch, v_from, v_to, v_mark_at, v_mark_id, v_ids
  from batch b;

  select array_agg(u.lane), array_agg(u.version), array_agg(u.start)
  into v_lanes, v_versions, v_starts
  from unnest(look.lanes, look.versions, look.starts) u(lane, version, start)
  where u.lane = any(v_batch)
     or (u.lane = any(look.held) and (u.lane in (select unnest(look.live_lanes))) is not true);
  select array_agg(k.lane) into v_locked
  from (select l.lane
        from unnest(v_lanes, v_versions) u(lane, version)
        join :"schema".:"lanes" l on l.lane = u.lane and l.xmin = u.version
        order by l.lane for no key update of l skip locked) k;

  for v_row in
    update :"schema".:"lanes" l
    set epoch = l.epoch + (w.place is not null
                           and (l.lease_owner is distinct from :"record_claim".worker
                                or l.lease_expires_at <= :"record_claim".at))::integer,
        lease_expires_at = case when w.place is not null then
          greatest(v_expiry, case when l.lease_owner = :"record_claim".worker
                                  then l.lease_expires_at end) end,
        lease_owner = case when w.place is not null then :"record_claim".worker end,
        mark_at = case when w.moves then v_mark_at[w.place] else l.mark_at end,
        mark_id = case when w.moves then v_mark_id[w.place] else l.mark_id end,
        rescan_at = case when w.start = 1 or l.rescan_at is null
                         then :"record_claim".at + interval '1 s'
                         else l.rescan_at + cardinality(l.in_flight) * interval '1 ms' end,
        suspects = case when l.suspects = '{}' then '{}' else
          array(select s.id from unnest(l.suspects) s(id)
                where (select d.suspect and d.status = 'pending'
                       from :"schema".:"deliveries" d where d.id = s.id)) end,
        in_flight = array(select f.id from unnest(l.in_flight) f(id)
                          where (f.id in (select unnest(look.live))) is true)
                    || coalesce(v_ids[v_from[w.place]:v_to[w.place]], '{}')  --@mutant forget_in_flight
    from (select u.lane, u.start, array_position(v_batch, u.lane) as place,
                 u.start = 0 and v_mark_at[array_position(v_batch, u.lane)] is not null as moves
          from unnest(v_lanes, v_starts) u(lane, start)
          where u.lane = any(v_locked)) w
    where l.lane = w.lane
    returning l.lane, l.epoch, w.place is not null as claimed
  loop
    if v_row.claimed then v_epochs[v_row.lane + 1] := v_row.epoch; end if;
  end loop;
  return v_epochs;
end
$body$;
