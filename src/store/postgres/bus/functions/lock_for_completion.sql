-- Locks the lanes of tokens in the transaction of a handler, before complete(): a takeover wants
-- them for update, which conflicts, so it passes them by until that transaction ends. The weakest
-- lock that conflicts: the owner's own claims and renewals do not wait for it.
--
-- lanes   Of the tokens.
-- Locks:  lanes, in order, for key share.
-- Index:  the primary key of lanes.
create or replace function :"schema".:"lock_for_completion"(lanes integer[])
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
as $body$
#variable_conflict use_column
begin
  perform from :"schema".:"lanes" l where l.lane = any(:"lock_for_completion".lanes)
  order by l.lane for key share;
end
$body$;
