-- An operator's second chance: dead deliveries become due now with a fresh budget. The mark of a
-- suspect stays, and the lane remembers it.
--
-- ids   Deliveries; those that are not dead are left.
-- Returns: how many.
-- Locks:   their lanes, in order, for no key update; then the deliveries.
-- Index:   the primary keys of lanes and deliveries. The odd comparisons: see look().
create or replace function :"schema".:"requeue"(ids bigint[]) returns integer
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
  v_lanes smallint[];
  v_suspects bigint[];
  v_count integer;
begin
  select array_agg(distinct d.lane) into v_lanes
  from :"schema".:"deliveries" d where d.id = any(:"requeue".ids);
  perform from :"schema".:"lanes" l where l.lane = any(v_lanes) order by l.lane for no key update;

  with changed as (
    update :"schema".:"deliveries" d
    set status = 'pending', attempts = 0, claims = d.claims + 1, available_at = v_now,
        updated_at = v_now
    where d.id = any(:"requeue".ids) and d.status || '' = 'dead'
    returning d.id, d.suspect
  )
  select array_agg(c.id) filter (where c.suspect), count(*) into v_suspects, v_count from changed c;

  -- What does not fit is met when the lane is read. The row is written in any case: a claim that
  -- has picked a later delivery of the same key, and not yet recorded it, must find it changed.
  update :"schema".:"lanes" l
  set suspects = case when v_suspects is null or cardinality(l.suspects) >= 256 then l.suspects
                 else l.suspects || array(select d.id from :"schema".:"deliveries" d
                                          where d.id = any(v_suspects) and d.lane = l.lane limit 64)
                 end
  where l.lane = any(v_lanes);
  if v_count > 0 then perform :"schema".:"wake"(); end if;
  return v_count;
end
$body$;
