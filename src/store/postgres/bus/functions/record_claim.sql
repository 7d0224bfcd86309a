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
-- Index:   the primary key of lanes.
-- Odd:     nested loops are off, as in publish_batch.
create or replace function :"schema".:"record_claim"(
  look :"schema".:"lane_look", picks :"schema".:"deliveries"[], places integer[],
  worker text, lease bigint, at timestamptz)
returns bigint[]
language plpgsql
set enable_nestloop = off
set enable_hashjoin = on
as $body$
#variable_conflict use_column
declare
  v_epochs bigint[] := array_fill(0::bigint, array[256]);
  v_row record;
  v_expiry constant timestamptz := :"schema".:"due_after"(:"record_claim".lease);
begin
  for v_row in
    with picked as materialized (
      select p.lane, p.id, p.available_at, p.place,
             row_number() over (partition by p.lane order by p.available_at, p.id) as nth
      from unnest(:"record_claim".picks, :"record_claim".places)
        p(id, sequence, available_at, created_at, updated_at, event_id, attempts, claims, lane,
          suspect, status, handler, key, last_error, place)
    ),
    batch as materialized (
      select p.lane, array_agg(p.id) as ids,
             max(p.nth) filter (where p.place = p.nth
                                  and p.available_at <= :"record_claim".at - interval '500 ms') as upto
      from picked p group by p.lane
    ),
    wanted as materialized (
      select u.lane, u.version, u.start, b.ids, p.available_at as mark_at, p.id as mark_id
      from unnest(look.lanes, look.versions, look.starts) u(lane, version, start)
      left join batch b on b.lane = u.lane
      left join picked p on p.lane = b.lane and p.nth = b.upto
      where b.lane is not null
         or (u.lane = any(look.held) and (u.lane in (select unnest(look.live_lanes))) is not true)
    ),
    locked as materialized (
      select l.lane
      from :"schema".:"lanes" l join wanted w on w.lane = l.lane and w.version = l.xmin
      where l.lane >= 0
      order by l.lane for no key update of l skip locked
    )
    update :"schema".:"lanes" l
    set epoch = l.epoch + (w.ids is not null
                           and (l.lease_owner is distinct from :"record_claim".worker
                                or l.lease_expires_at <= :"record_claim".at))::integer,
        lease_expires_at = case when w.ids is not null then
          greatest(v_expiry, case when l.lease_owner = :"record_claim".worker
                                  then l.lease_expires_at end) end,
        lease_owner = case when w.ids is not null then :"record_claim".worker end,
        mark_at = case when w.start = 0 and w.mark_at is not null then w.mark_at else l.mark_at end,
        mark_id = case when w.start = 0 and w.mark_at is not null then w.mark_id else l.mark_id end,
        rescan_at = case when w.start = 1 or l.rescan_at is null
                         then :"record_claim".at + interval '1 s'
                         else l.rescan_at + cardinality(l.in_flight) * interval '1 ms' end,
        suspects = case when l.suspects = '{}' then '{}' else
          array(select s.id from unnest(l.suspects) s(id)
                where (select d.suspect and d.status = 'pending'
                       from :"schema".:"deliveries" d where d.id = s.id)) end,
        in_flight = array(select f.id from unnest(l.in_flight) f(id)
                          where f.id in (select unnest(look.live)))
                    || coalesce(w.ids, '{}')  --@mutant forget_in_flight
    from wanted w, locked k
    where l.lane = k.lane and w.lane = k.lane
    returning l.lane, l.epoch, w.ids is not null as claimed
  loop
    if v_row.claimed then v_epochs[v_row.lane + 1] := v_row.epoch; end if;
  end loop;
  return v_epochs;
end
$body$;
