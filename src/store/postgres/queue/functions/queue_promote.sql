-- Appends due jobs of one lane of a queue. One transaction a lane: its lock is waited for, because a
-- lane that is always busy would else never be had, but not for long.
--
-- queue     Whose jobs; none while it is paused.
-- since     No due job is older: the low-water mark of the caller; -infinity once a minute.
-- batch     Most jobs to look at.
-- patience  Milliseconds to wait for the lane's lock; 50, and more each time it was not enough.
-- passed    Lanes that are passed by this time.
-- rotor     Where the choice of a shard for jobs without key begins, 0 or more.
-- Returns: promoted; blocked: the lane whose lock was not to be had, else null; more: whether due
--          jobs are left that this call saw; next_due: of the queue's first job after them.
-- Locks:   the lane's advisory lock; then rows of queue_deferred, skipping locked ones.
-- Index:   queue_deferred_due.
-- Raises:  PS001 outside READ COMMITTED.
create or replace function :"schema".:"queue_promote"(
  queue text, since timestamptz, batch integer, patience integer, passed integer[], rotor integer)
returns table(promoted integer, blocked integer, more boolean, next_due timestamptz)
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
  v_now constant timestamptz := :"schema".:"now"();
  v_position constant regclass := format('%I.%I', :'schema', :'queue_position')::regclass;
  v_width integer;
  v_target record;
  v_lane integer;
  v_ids bigint[];
  v_slot smallint;
begin
  perform :"schema".:"queue_require_autocommit"();
  promoted := 0;
  more := false;
  select m.enqueue_shards into v_width from :"schema".:"queue_meta" m
  where m.queue = :"queue_promote".queue and not m.paused;
  if not found then
    if exists (select from :"schema".:"queue_meta" m where m.queue = :"queue_promote".queue) then
      return next;
      return;
    end if;
    v_width := 1;
  end if;

  -- The first job's lane, and who goes there too: by number where it is fixed, else by the width.
  for v_target in
    select d.lane, d.priority, s.shard, array_agg(d.id order by d.run_at, d.id) as ids
    from (select d.* from :"schema".:"queue_deferred" d
          where d.queue = :"queue_promote".queue and d.run_at >= since and d.run_at <= v_now
          order by d.run_at, d.id limit batch) d
    cross join lateral (select (case
      when d.lane is not null then null
      when d.key is null then rotor % v_width
      else :"schema".:"queue_shard_of"(d.key, v_width) end)::smallint as shard) s
    group by d.lane, d.priority, s.shard order by min(d.run_at), min(d.id)
  loop
    more := v_lane is not null;
    exit when more;
    v_lane := coalesce(v_target.lane,
                       :"schema".:"queue_open_lane"(queue, v_target.priority, v_target.shard));
    if v_lane = any(passed) then
      v_lane := null;
    else
      v_ids := v_target.ids;
    end if;
  end loop;
  if v_ids is not null then
    begin
      perform set_config('lock_timeout', patience::text, true);
      perform :"schema".:"queue_lock_lanes"(array[v_lane]);
      perform set_config('lock_timeout', '0', true);
    exception when lock_not_available then
      blocked := v_lane;
      return next;
      return;
    end;
    v_slot := (select g.last_value % 8 from :"schema".:"queue_generation" g);
    with due as materialized (
      select d.id from :"schema".:"queue_deferred" d
      where d.id = any(v_ids) and d.queue = :"queue_promote".queue and d.run_at <= v_now
      order by d.id for update skip locked
    ),
    taken as (
      delete from :"schema".:"queue_deferred" d using due where d.id = due.id returning d.*
    )
    insert into :"schema".:"queue_ready"
    select nextval(v_position), v_lane, v_slot, t.id, t.run_at,
           case when t.created_at <> t.run_at then t.created_at end, t.deadline, t.attempt,
           t.max_attempts, t.unique_states, t.suspect, t.kind, t.key, t.unique_key, t.content_type,
           t.headers, t.state, t.payload
    from (select t.* from taken t order by t.run_at, t.id) t;
    get diagnostics promoted = row_count;
    if promoted > 0 then perform :"schema".:"wake"(); end if;
  end if;
  more := more or coalesce(cardinality(v_ids) >= batch, false);
  next_due := (select min(d.run_at) from :"schema".:"queue_deferred" d
               where d.queue = :"queue_promote".queue and d.run_at > v_now);
  return next;
end
$body$;
