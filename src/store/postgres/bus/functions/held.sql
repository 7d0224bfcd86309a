-- The fence of the writes that change a delivery: locks the lanes of the tokens and says which
-- tokens still hold.
--
-- ids, lanes, epochs, claims   The tokens.
-- Returns: place (from 1), id and lane of each that holds; a token that stands twice holds once.
-- Locks:   lanes, in order, for no key update.
-- Index:   the primary keys of lanes and deliveries. "offset 0": see look().
create or replace function :"schema".:"held"(
  ids bigint[], lanes integer[], epochs bigint[], claims bigint[])
returns table(place integer, delivery bigint, in_lane integer)
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
begin
  perform from :"schema".:"lanes" l where l.lane = any(:"held".lanes)
  order by l.lane for no key update;
  return query
    select min(t.place)::integer, t.id, t.lane
    from unnest(:"held".ids, :"held".lanes, :"held".epochs, :"held".claims)
      with ordinality t(id, lane, epoch, claims, place)
    cross join lateral (select d.lane, d.status, d.claims from :"schema".:"deliveries" d
                        where d.id = t.id offset 0) d
    where d.lane = t.lane and d.status = 'pending'
      and d.claims = t.claims  --@mutant drop_claims_check
      and ((t.lane, t.id, 0
              + t.epoch  --@mutant drop_epoch_check
             ) in (
        select l.lane, f.id, 0
                 + l.epoch  --@mutant drop_epoch_check
        from :"schema".:"lanes" l cross join unnest(l.in_flight) f(id)
        where l.lane = any(:"held".lanes))) is true
    group by t.id, t.lane;
end
$body$;
