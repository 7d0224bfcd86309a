-- Sets the low-water marks of lanes back, so that these deliveries are found again.
--
-- ids, lanes   Deliveries and their lanes, which the caller has locked.
-- Locks:  lanes, for no key update.
-- Index:  the primary keys of lanes and deliveries.
create or replace function :"schema".:"set_back"(ids bigint[], lanes integer[]) returns void
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
  update :"schema".:"lanes" l
  set mark_at = first.available_at, mark_id = first.id - 1
  from (select distinct on (d.lane) d.lane, d.available_at, d.id
        from :"schema".:"deliveries" d where d.id = any(:"set_back".ids)
        order by d.lane, d.available_at, d.id) first
  where l.lane = any(:"set_back".lanes) and l.lane = first.lane
    and (l.mark_at, l.mark_id) >= (first.available_at, first.id);
end
$body$;
