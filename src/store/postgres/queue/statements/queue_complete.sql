-- Completes a flush; see functions/queue_complete.sql.
--
-- $1 worker bigint, $2 claims bigint[], $3 first ordinals integer[], $4 ends of ordinals integer[],
-- $5 history boolean
-- Returns: claim, first ordinals and ends of what is done, busy.
-- Locks:   as the function.
select c.claim, array(select lower(u) from unnest(c.done) u),
       array(select upper(u) from unnest(c.done) u), c.busy
from :"schema".:"queue_complete"(
  $1, $2,
  array(select int4multirange(int4range(u.first, u.last))
        from unnest($3::integer[], $4::integer[]) with ordinality u(first, last, place)
        order by u.place), $5) c
