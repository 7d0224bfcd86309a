-- What a claim needs to know of the lanes, read without a lock.
--
-- worker      Lease owner.
-- at          Now.
-- first_lane  Where the visit begins.
-- near        The lanes to look at; null: all.
-- rescan      Whether a lane is read from its first row where that is due again.
-- others      Handlers that this worker does not run. Where their work waits in a lane that it
--             holds, nothing younger is taken: the lane must come free, or it would wait for ever.
-- cursor_at, cursor_ids   As claim() has them.
-- gone        Deliveries that this process has completed since it claimed last: not looked for.
-- Locks:  none.
-- Index:  the primary keys of lanes and deliveries; deliveries_due, deliveries_by_key for others.
-- Odd:    "offset 0" keeps the status away from the probes by id: on a table that is or was empty a
--         partial index on it looks as good as the primary key, and would then be read whole.
create or replace function :"schema".:"look"(
  worker text, at timestamptz, first_lane integer, near integer[], rescan boolean, others text[],
  cursor_at timestamptz[], cursor_ids bigint[], gone bigint[])
returns :"schema".:"lane_look"
language plpgsql
as $body$
#variable_conflict use_column
declare
  v :"schema".:"lane_look";
  v_waiting smallint[];
  v_since timestamptz[];
  v_place integer;
begin
  select array_agg(l.lane) filter (where not l.expired),
         array_agg(l.version) filter (where not l.expired),
         array_agg(l.start) filter (where not l.expired),
         array_agg(:"look".at) filter (where not l.expired),
         array_agg(case l.start when 2 then :"look".cursor_at[l.lane + 1]
                                when 1 then '-infinity' else l.mark_at end)
           filter (where not l.expired),
         array_agg(case l.start when 2 then :"look".cursor_ids[l.lane + 1]
                                when 1 then 0 else l.mark_id end)
           filter (where not l.expired),
         array_agg(l.lane) filter (where l.held),
         array_agg(l.lane) filter (where l.suspects <> '{}' and not l.expired),
         array_agg(l.lane) filter (where l.expired)
  into v.lanes, v.versions, v.starts, v.until, v.start_at, v.start_id,
       v.held, v.suspicious, v.expired
  from (select l.lane, l.version, l.suspects,
               l.lease_owner is not null and l.lease_expires_at > :"look".at as held,
               coalesce(l.lease_expires_at <= :"look".at and l.in_flight <> '{}'
                        and (select bool_or(d.status = 'pending')
                             from unnest(l.in_flight) f(id)
                             cross join lateral (select d.status from :"schema".:"deliveries" d
                                                 where d.id = f.id offset 0) d), false) as expired,
               coalesce(l.mark_at, '-infinity') as mark_at, coalesce(l.mark_id, 0) as mark_id,
               case when :"look".cursor_at[l.lane + 1] > coalesce(l.mark_at, '-infinity') then 2
                    when :"look".rescan and l.rescan_at <= :"look".at then 1
                    else 0 end as start
        from (select a.*, a.xmin as version from :"schema".:"lanes" a
              where :"look".near is null and a.lane >= 0
              union all
              select s.*, s.xmin from :"schema".:"lanes" s where s.lane = any(:"look".near)) l
        where l.lease_owner is null or l.lease_expires_at <= :"look".at
           or l.lease_owner = :"look".worker
        order by (l.lane - :"look".first_lane) & 255) l;
  if v.held is null then return v; end if;

  select array_agg(d.id), array_agg(d.lane),
         array_agg(d.lane) filter (where d.key is not null),
         array_agg(d.handler) filter (where d.key is not null),
         array_agg(d.key) filter (where d.key is not null)
  into v.live, v.live_lanes, v.busy_lanes, v.busy_handlers, v.busy_keys
  from :"schema".:"lanes" l
  cross join unnest(l.in_flight) f(id)
  cross join lateral (select d.id, d.lane, d.handler, d.key, d.status
                      from :"schema".:"deliveries" d where d.id = f.id offset 0) d
  where l.lane = any(v.held) and d.status = 'pending'
    and (f.id in (select unnest(:"look".gone))) is not true;
  if :"look".others is null then return v; end if;

  -- No more rows than a claim takes from a lane: what waits behind those is not overtaken by it.
  select array_agg(h.lane), array_agg(w.available_at) into v_waiting, v_since
  from :"schema".:"lanes" h
  cross join lateral (
    select d.available_at
    from (select d.available_at, d.id, d.handler, d.key, d.sequence
          from :"schema".:"deliveries" d
          where d.lane = h.lane and d.status = 'pending' and d.available_at <= :"look".at
            and (d.available_at, d.id) > (coalesce(h.mark_at, '-infinity'), coalesce(h.mark_id, 0))
          order by d.available_at, d.id limit 64) d
    where d.handler = any(:"look".others)
      and (d.id in (select unnest(v.live))) is not true
      and (d.key is null
           or not exists (select from :"schema".:"deliveries" e
                          where e.lane = h.lane and e.handler = d.handler and e.key = d.key
                            and e.status = 'pending' and e.sequence < d.sequence))
    limit 1) w
  where h.lane = any(v.held);
  for v_place in 1 .. coalesce(cardinality(v_waiting), 0) loop
    v.until[array_position(v.lanes, v_waiting[v_place])] := v_since[v_place];
  end loop;
  return v;
end
$body$;
