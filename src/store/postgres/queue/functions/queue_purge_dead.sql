-- Deletes dead jobs: those given, or those that died longest ago.
--
-- ids        Jobs; null: by age.
-- retention  Microseconds; of the dead that are older.
-- batch      At most so many.
-- Returns: how many.
-- Locks:   the rows it deletes, passing by those that an operator is requeueing; then unique keys.
-- Index:   queue_dead_by_age, or the primary key.
create or replace function :"schema".:"queue_purge_dead"(ids bigint[], retention bigint,
                                                         batch integer)
returns integer
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
as $body$
#variable_conflict use_column
declare
  v_keys text[];
  v_owners bigint[];
  v_count integer;
begin
  if ids is null then
    ids := array(
      select d.id from :"schema".:"queue_dead" d
      where d.died_at < :"schema".:"now"() - retention * interval '1 microsecond'
      order by d.died_at, d.id limit batch);
  end if;
  with gone as (
    delete from :"schema".:"queue_dead" d where d.id in (
      select o.id from :"schema".:"queue_dead" o
      where o.id = any(ids) order by o.id for update skip locked)
    returning d.id, d.unique_key
  )
  select count(*), array_agg(g.unique_key) filter (where g.unique_key is not null),
         array_agg(g.id) filter (where g.unique_key is not null)
  into v_count, v_keys, v_owners
  from gone g;
  delete from :"schema".:"queue_unique_keys" k where k.key = any(v_keys) and k.id = any(v_owners);
  return v_count;
end
$body$;
