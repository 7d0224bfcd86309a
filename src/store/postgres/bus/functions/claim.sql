-- Claims due deliveries for a worker: takes over what expired, picks lane by lane, records the
-- batch in one row per lane, hands back the lanes of this worker that run nothing. A claim that
-- finds nothing writes nothing: rows are picked first, and the lanes locked only then; what another
-- did to a lane in between shows in its row's version.
--
-- worker         Lease owner.
-- handlers       Those this worker runs, and beside each …
-- rooms          … how many more of its deliveries it can take.
-- batch          Most deliveries to claim.
-- run_limit      Most deliveries of one handler and key.
-- lease          Microseconds.
-- take_suspect   Whether nothing runs: then, where a suspect is due, it is the whole batch.
-- first_lane     Where the visit of the lanes begins, so that none waits for ever.
-- near           Lanes that are expected to fill the batch, and those that this worker may hold: while
--                all lanes were looked at a moment ago, no others are, unless these do not fill it.
-- looked_at      When this worker last looked at all; null: now it does.
-- rescan         Whether lanes may be read from their start where that is due again.
-- cursor_at, cursor_ids   Empty, or 256 places to read on from, by lane, some of them null.
-- gone           Deliveries that this process has completed since its last claim; any may be
--                missing.
-- walk_after     Where the walk over keys goes on: go_on of the last claim, or ''.
-- Returns: one row without id first: suspects_wait, next_due (microseconds from now), cut (lanes
--          whose scan ended early), cut_at, cut_ids (where), lost (due, but others took it
--          meanwhile or are to have it), go_on (the walk over keys did not come to its end), all_at
--          (now, where it looked at all lanes), held (the worker's among them).
--          Then one row for each claimed delivery, those of a key in order. The event's columns
--          are null where the event is gone.
-- Locks:   of takeovers: take_over(); then lanes, in order, for no key update, skipping locked
--          ones.
-- Index:   deliveries_due, deliveries_by_key, and primary keys.
-- Odd:     plans are pinned, because the tables are never analysed, empty, or huge.
create or replace function :"schema".:"claim"(
  worker text, handlers text[], rooms integer[], batch integer, run_limit integer, lease bigint,
  take_suspect boolean, first_lane integer, near integer[], looked_at timestamptz,
  rescan boolean, cursor_at timestamptz[], cursor_ids bigint[], walk_after text,
  gone bigint[])
returns table(
  id bigint, lane integer, epoch bigint, claims bigint, handler text, key text, sequence bigint,
  attempts integer, suspect boolean, event_id uuid, published_at timestamptz, type text,
  content_type text, headers jsonb, payload bytea,
  suspects_wait boolean, next_due bigint, lost boolean,
  cut integer[], cut_at timestamptz[], cut_ids bigint[], go_on text, all_at timestamptz,
  held integer[])
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_memoize = off
set join_collapse_limit = 1
as $body$
#variable_conflict use_column
declare
  v_now constant timestamptz := :"schema".:"now"();
  v_names text[];              -- handlers to pick for
  v_others text[];             -- handlers that only other workers run
  v_near integer[] := case when v_now between :"claim".looked_at
                                          and :"claim".looked_at + interval '100 ms'
                           then :"claim".near end;
  v_look :"schema".:"lane_look";
  v_taken integer;             -- lanes
  v_picks :"schema".:"deliveries"[] := '{}';
  v_places integer[] := '{}';
  v_found record;
  v_suspect :"schema".:"deliveries";
  v_cut integer[];
  v_cut_at timestamptz[];
  v_cut_ids bigint[];
  v_go_on text;
  v_epochs bigint[];
  v_lost boolean := false;
  v_next bigint;
begin
  select array_agg(s.handler) filter (where r.room > 0),
         array_agg(s.handler) filter (where r.handler is null)
  into v_names, v_others
  from :"schema".:"subscriptions" s
  left join unnest(:"claim".handlers, :"claim".rooms) r(handler, room) on r.handler = s.handler
  where true
    and not s.paused  --@mutant paused_is_claimed
  ;

  loop
    v_look := :"schema".:"look"(:"claim".worker, v_now, :"claim".first_lane, v_near,
                                :"claim".rescan, v_others, :"claim".cursor_at, :"claim".cursor_ids,
                                :"claim".gone);
    if v_look.expired is not null then
      v_taken := 0;
      v_taken := :"schema".:"take_over"(v_look.expired);  --@mutant skip_takeover
      continue when v_taken > 0;
    end if;
    exit when v_names is null or :"claim".batch <= 0;
    if v_look.suspicious is not null then
      v_suspect := :"schema".:"find_suspect"(v_look, v_names, v_now);
      if v_suspect.id is not null and :"claim".take_suspect then
        v_picks := array[v_suspect];
        v_places := array[null::integer];
        exit;
      end if;
    end if;
    v_found := :"schema".:"pick_batch"(v_look, :"claim".handlers, :"claim".rooms, v_names,
                                       :"claim".batch, :"claim".run_limit, :"claim".walk_after,
                                       v_now);
    v_cut := v_found.cut;
    v_cut_at := v_found.cut_at;
    v_cut_ids := v_found.cut_ids;
    v_go_on := v_found.go_on;
    if v_suspect.id is null then v_suspect := v_found.suspects[1]; end if;
    if v_suspect.id is not null and :"claim".take_suspect then
      v_picks := array[v_suspect];
      v_places := array[null::integer];
      exit;
    end if;
    v_picks := v_found.picks;
    v_places := v_found.places;
    exit when v_near is null or cardinality(v_picks) >= :"claim".batch;
    v_near := null;
  end loop;

  if v_picks <> '{}' or cardinality(v_look.held) > (
       select count(distinct b.lane) from unnest(v_look.live_lanes) b(lane)) then
    v_epochs := :"schema".:"record_claim"(v_look, v_picks, v_places, :"claim".worker,
                                          :"claim".lease, v_now);
    select coalesce(bool_or(v_epochs[p.lane + 1] = 0), false) into v_lost from unnest(v_picks) p;
    -- A lane that was left to others this once: they may want it now, and else this worker again.
    if v_picks = '{}' and exists (
         select from unnest(v_look.lanes, v_look.until) u(lane, until)
         where u.until < v_now and u.lane = any(v_look.held)
           and (u.lane = any(v_look.live_lanes)) is not true) then
      perform :"schema".:"wake"();
      v_lost := true;
    end if;
  end if;
  if v_picks = '{}' and v_names is not null then
    v_next := :"schema".:"next_due"(v_look, v_names, v_now);
  end if;

  return query
    select null::bigint, null::integer, null::bigint, null::bigint, null::text, null::text,
           null::bigint, null::integer, null::boolean, null::uuid, null::timestamptz, null::text,
           null::text, null::jsonb, null::bytea,
           v_suspect.id is not null and not :"claim".take_suspect, v_next, v_lost,
           v_cut, v_cut_at, v_cut_ids, v_go_on, case when v_near is null then v_now end,
           case when v_near is null then v_look.held::integer[] end;
  if v_picks = '{}' then return; end if;
  return query
    select p.id, p.lane::integer, v_epochs[p.lane + 1], p.claims::bigint, p.handler, p.key,
           p.sequence, p.attempts, p.suspect, p.event_id, e.created_at, e.type, e.content_type,
           e.headers, e.payload, null::boolean, null::bigint, null::boolean,
           null::integer[], null::timestamptz[], null::bigint[], null::text, null::timestamptz,
           null::integer[]
    from unnest(v_picks) p
    left join :"schema".:"events" e on e.id = p.event_id
    where v_epochs[p.lane + 1] > 0;
end
$body$;
