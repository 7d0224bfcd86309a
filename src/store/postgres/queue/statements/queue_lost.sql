-- What a worker runs that has ended otherwise; see functions/queue_lost.sql.
--
-- $1 worker bigint, $2 claims bigint[], $3 first ordinals integer[], $4 ends of ordinals integer[]
-- Returns: claim, first ordinals and ends of what is lost.
-- Locks:   none.
select l.claim, array(select lower(u) from unnest(l.lost) u),
       array(select upper(u) from unnest(l.lost) u)
from :"schema".:"queue_lost"(
  $1, $2,
  array(select int4multirange(int4range(u.first, u.last))
        from unnest($3::integer[], $4::integer[]) with ordinality u(first, last, place)
        order by u.place)) l
