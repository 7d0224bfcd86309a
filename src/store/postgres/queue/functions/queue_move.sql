-- Moves waiting and deferred jobs to another queue or priority. A job with an ordering key goes to
-- its shard modulo the destination's width, so that those of a key stay together; another where the
-- destination's rotor says, or within its queue to its own shard, if that is not too high.
--
-- ids       Jobs; at most 100 at a time. Running and dead ones are left.
-- queue     Null: as it is.
-- priority  Null: as it is.
-- Returns: the jobs that were moved; one that is there already is not.
-- Locks:   rows of queue_lanes, sorted; then of queue_deferred. No lane's advisory lock: promotion
--          takes it, when it appends what this leaves in queue_deferred, due at once.
-- Index:   as queue_find().
create or replace function :"schema".:"queue_move"(ids bigint[], queue text, priority smallint)
returns setof bigint
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
  v_left bigint[] := ids;
  v_found record;
  v_held :"schema".:"queue_held";
  v_body :"schema".:"queue_body";
  v_from :"schema".:"queue_lanes";
  v_queue text;
  v_priority smallint;
  v_width integer;
begin
  perform :"schema".:"queue_require_autocommit"();
  for v_round in 1 .. 3 loop
    select array_agg(f.lane) as lanes, array_agg(f.seq) as seqs into v_found
    from :"schema".:"queue_find"(v_left) f
    join :"schema".:"queue_lanes" l on l.lane = f.lane
    where f.place = 'ready'
      and (l.queue <> coalesce(:"queue_move".queue, l.queue)
           or l.priority <> coalesce(:"queue_move".priority, l.priority));
    if v_found.lanes is not null then
      for v_held in
        select h.* from unnest(:"schema".:"queue_take_out"(v_found.lanes, v_found.seqs)) h
      loop
        v_body := v_held.body;
        select l.* into v_from from :"schema".:"queue_lanes" l where l.lane = v_held.lane;
        v_queue := coalesce(:"queue_move".queue, v_from.queue);
        v_priority := coalesce(:"queue_move".priority, v_from.priority);
        v_width := coalesce((select m.enqueue_shards from :"schema".:"queue_meta" m
                             where m.queue = v_queue), 1);
        v_body.created_at := coalesce(v_body.created_at, v_body.run_at);
        insert into :"schema".:"queue_deferred"
        select case when v_body.key is not null
                         or (v_queue = v_from.queue and v_from.enqueue_shard < v_width) then
                 :"schema".:"queue_open_lane"(v_queue, v_priority,
                                              (v_from.enqueue_shard % v_width)::smallint) end,
               v_priority, v_body.*, v_queue;
        v_left := array_remove(v_left, v_body.id);
        return next v_body.id;
      end loop;
    end if;
    for v_found in
      update :"schema".:"queue_deferred" d
      set queue = coalesce(:"queue_move".queue, d.queue), lane = null,
          priority = coalesce(:"queue_move".priority, d.priority)
      where d.id in (select o.id from :"schema".:"queue_deferred" o
                     where o.id = any(v_left) order by o.id for update)
        and (d.queue <> coalesce(:"queue_move".queue, d.queue)
             or d.priority <> coalesce(:"queue_move".priority, d.priority))
      returning d.id
    loop
      v_left := array_remove(v_left, v_found.id);
      return next v_found.id;
    end loop;
    exit when v_left = '{}';
  end loop;
end
$body$;
