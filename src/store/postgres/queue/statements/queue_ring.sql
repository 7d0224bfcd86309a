-- What a leader asks of the ring before it does anything.
--
-- Returns: the current slot, whether it holds anything, the last position that was drawn, the sealed
--          slots that hold anything (smallint[]).
-- Locks:   none.
-- Index:   the first row of each child.
select s.current,
       exists (select from :"schema".:"queue_ready" r where r.slot = s.current),
       (select p.last_value from :"schema".:"queue_position" p),
       array(select u.slot::smallint from generate_series(0, 7) u(slot)
             where u.slot <> s.current
               and (exists (select from :"schema".:"queue_ready" r where r.slot = u.slot)
                    or exists (select from :"schema".:"queue_claims" c where c.slot = u.slot)
                    or exists (select from :"schema".:"queue_finished" f where f.slot = u.slot)
                    or exists (select from :"schema".:"queue_tombstones" t where t.slot = u.slot))
             order by u.slot)
from (select (g.last_value % 8)::smallint as current from :"schema".:"queue_generation" g) s
