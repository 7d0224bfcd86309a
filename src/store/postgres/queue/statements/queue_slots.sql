-- The ring: what each slot holds. Counts the children, for the operator.
--
-- Returns: slot, current, rows, unclaimed, open, bytes on disk.
-- Locks:   none that outlive it.
-- Index:   none.
select s.slot, s.slot = (select g.last_value % 8 from :"schema".:"queue_generation" g),
       l.total, l.unclaimed, l.open,
       (select sum(pg_catalog.pg_total_relation_size(pg_catalog.format(
          '%I.%I', :'schema', t.name || '_' || s.slot)::regclass))
        from (values (:'queue_ready'), (:'queue_claims'), (:'queue_finished'),
                     (:'queue_tombstones')) t(name))::bigint
from generate_series(0, 7) s(slot)
cross join lateral :"schema".:"queue_slot_load"(s.slot) l
