-- Truncates a slot, whose children the caller has locked, and adds what it had counted to the totals.
--
-- slot    0 to 7.
-- Locks:  access exclusive on its children, which the caller has; rows of queue_totals.
create or replace function :"schema".:"queue_empty_slot"(slot integer) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set jit = off
as $body$
#variable_conflict use_column
begin
  insert into :"schema".:"queue_totals" as t (lane, claimed, completed)
  select c.lane, sum(c.n), coalesce(sum(f.n), 0)
  from :"schema".:"queue_claims" c
  left join (select f.claim, sum(f.n) as n from :"schema".:"queue_finished" f
             where f.slot = :"queue_empty_slot".slot and f.outcome = 0
             group by f.claim) f on f.claim = c.claim
  where c.slot = :"queue_empty_slot".slot
  group by c.lane order by c.lane
  on conflict (lane) do update
    set claimed = t.claimed + excluded.claimed, completed = t.completed + excluded.completed;
  execute format('truncate %1$I.%2$I, %1$I.%3$I, %1$I.%4$I, %1$I.%5$I', :'schema',
                 :'queue_ready' || '_' || slot, :'queue_claims' || '_' || slot,
                 :'queue_finished' || '_' || slot, :'queue_tombstones' || '_' || slot);
end
$body$;
