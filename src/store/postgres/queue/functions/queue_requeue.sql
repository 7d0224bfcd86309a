-- An operator's second chance: dead jobs become due now with a fresh budget, in their queues. The
-- errors stay.
--
-- ids      Jobs; those that are not dead are left.
-- Returns: those that were requeued. One whose unique key another job holds meanwhile stays dead.
-- Locks:   rows of queue_dead, by id; then unique keys.
-- Index:   the primary keys of queue_dead and queue_unique_keys.
create or replace function :"schema".:"queue_requeue"(ids bigint[]) returns setof bigint
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
  v_dead :"schema".:"queue_dead";
  v_now constant timestamptz := :"schema".:"now"();
begin
  perform :"schema".:"queue_require_autocommit"();
  perform from :"schema".:"queue_dead" d where d.id = any(ids) order by d.id for update;
  for v_dead in
    select d.* from :"schema".:"queue_dead" d
    where d.id = any(ids) order by d.unique_key collate "C", d.id
  loop
    if v_dead.unique_key is not null then
      update :"schema".:"queue_unique_keys" k set ended_at = null
      where k.key = v_dead.unique_key and k.id = v_dead.id;
      if not found then
        insert into :"schema".:"queue_unique_keys"(key, id, states)
        values (v_dead.unique_key, v_dead.id, v_dead.unique_states) on conflict do nothing;
        continue when not found;
      end if;
    end if;
    insert into :"schema".:"queue_deferred"
    values (null, v_dead.priority, v_dead.id, v_now, coalesce(v_dead.created_at, v_dead.run_at),
            v_dead.deadline, 0, v_dead.max_attempts, v_dead.unique_states, v_dead.suspect,
            v_dead.kind, v_dead.key, v_dead.unique_key, v_dead.content_type, v_dead.headers,
            v_dead.state, v_dead.payload, v_dead.queue);
    delete from :"schema".:"queue_dead" d where d.id = v_dead.id;
    return next v_dead.id;
  end loop;
end
$body$;
