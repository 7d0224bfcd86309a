-- Claims from one lane, whose row the caller has locked in an earlier statement.
--
-- worker, lane   Whose, and from which.
-- cursor         Where to begin; null: read here, behind the lock, as it has to be.
-- batch, batch_bytes   Most jobs, and bytes of payloads.
-- take_suspect   A suspect at the head is taken, alone; else the claim ends before the first one.
-- base           The first free claim number; at most one is used per slot and round.
-- Returns: the claims; suspect_next: a suspect is next and was left; null where one was taken.
-- Locks:   unique keys that end when their jobs run.
-- Index:   the primary keys of queue_ready and queue_tombstones.
-- Odd:     tombstones are read first, a page of them, because a probe per job costs more than the
--          job. Where they are all there is, a claim of none moves the cursor past them.
create or replace function :"schema".:"queue_claim_lane"(
  worker bigint, lane integer, cursor bigint, batch integer, batch_bytes bigint,
  take_suspect boolean, base bigint,
  out claims :"schema".:"queue_claims"[], out suspect_next boolean)
returns record
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $body$
#variable_conflict use_column
declare
  v_page constant integer := 256;
  v_cursor bigint := cursor;
  v_removed bigint[];      -- tombstones from the cursor on, at most a page and one
  v_until bigint;          -- rows from here on are of the next round
  v_new :"schema".:"queue_claims"[];
  v_suspect boolean;
  v_at timestamptz;        -- the same for all of a batch
begin
  claims := '{}';
  suspect_next := false;
  for v_round in 1 .. 8 loop
    v_at := clock_timestamp();
    select k.cursor, array(
             select t.seq from :"schema".:"queue_tombstones" t
             where t.lane = :"queue_claim_lane".lane and t.seq >= k.cursor
             order by t.seq limit v_page + 1)
    into v_cursor, v_removed
    from (select coalesce(v_cursor, (
            select c.next from :"schema".:"queue_claims" c
            where true
              and c.lane = :"queue_claim_lane".lane  --@mutant drop_shard_from_cursor
            order by c.lane desc, c.first desc limit 1), 0) as cursor offset 0) k;
    v_until := coalesce(v_removed[v_page + 1], 9223372036854775807);

    with head as materialized (
      select r.seq, r.slot, r.suspect, r.unique_key is not null as keyed,
             row_number() over w as nth, sum(octet_length(r.payload)) over w as bytes
      from (select r.seq, r.slot, r.suspect, r.unique_key, r.payload
            from :"schema".:"queue_ready" r
            where r.lane = :"queue_claim_lane".lane and r.seq >= v_cursor and r.seq < v_until
              and (v_removed = '{}' or r.seq <> all(v_removed))
            order by r.seq limit batch) r
      window w as (order by r.seq rows unbounded preceding)
    ),
    wall as materialized (
      select coalesce(min(h.nth) filter (where h.suspect), 9223372036854775807) as nth from head h
    ),
    taken as materialized (
      select h.* from head h cross join wall
      where (h.nth < wall.nth or (h.nth = 1 and take_suspect))
        and (h.nth = 1 or (h.bytes <= batch_bytes and (wall.nth > 1)))
    ),
    slots as (
      select t.slot, min(t.seq) as first, count(*)::integer as n, bool_or(t.keyed) as keyed,
             max(t.seq) as last,
             (select max(t2.seq) + 1 from taken t2) as next,
             row_number() over (order by min(t.seq)) - 1 as nth
      from taken t group by t.slot
    ),
    inserted as (
      insert into :"schema".:"queue_claims" as c
        (claim, worker, first, next, claimed_at, lane, n, slot, keyed, holes)
      select base + cardinality(claims) + s.nth, worker, s.first, s.next, v_at,
             :"queue_claim_lane".lane, s.n, s.slot, s.keyed,
             exists (select from unnest(v_removed) u(seq) where u.seq > s.first and u.seq < s.next)
      from slots s
      returning c
    )
    select coalesce((select array_agg(i.c) from inserted i), '{}'),
           (select case when wall.nth = 1 and take_suspect then null
                        else wall.nth = (select count(*) from taken t) + 1 end
            from wall)
    into v_new, v_suspect;

    claims := claims || v_new;
    suspect_next := v_suspect;
    exit when v_new <> '{}' or v_suspect or v_removed = '{}';
    -- Nothing but what was taken out, as far as the page reaches.
    insert into :"schema".:"queue_claims" as c
      (claim, worker, first, next, claimed_at, lane, n, slot, keyed, holes)
    select base + cardinality(claims), worker, t.seq,
           v_removed[least(cardinality(v_removed), v_page)] + 1, v_at, t.lane, 0, t.slot,
           false, true
    from :"schema".:"queue_tombstones" t
    where t.lane = :"queue_claim_lane".lane and t.seq = v_removed[1]
    returning c.next, claims || c into v_cursor, claims;
    exit when cardinality(v_removed) <= v_page;
  end loop;

  if exists (select from unnest(claims) c where c.keyed) then
    delete from :"schema".:"queue_unique_keys" k
    using (select m.unique_key, m.id from unnest(claims) c
           join :"schema".:"queue_members" m on m.claim = c.claim and m.worker = c.worker
           where m.unique_key is not null and m.unique_states & 4 = 0
           order by m.unique_key collate "C") u
    where k.key = u.unique_key and k.id = u.id;
  end if;
end
$body$;
