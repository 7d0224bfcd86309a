-- The suspect to run next, of those that lanes remember: due, the first of its key, not in flight.
--
-- look    Of the claim.
-- names   Handlers to pick for.
-- at      Now.
-- Returns: a delivery, or null.
-- Locks:   none.
-- Index:   the primary keys of lanes and deliveries; deliveries_by_key. "offset 0": see look().
create or replace function :"schema".:"find_suspect"(
  look :"schema".:"lane_look", names text[], at timestamptz)
returns :"schema".:"deliveries"
language plpgsql
as $body$
#variable_conflict use_column
declare
  v_found :"schema".:"deliveries";
begin
  select d.* into v_found
  from :"schema".:"lanes" l
  cross join unnest(l.suspects) s(id)
  cross join lateral (select * from :"schema".:"deliveries" d where d.id = s.id offset 0) d
  where l.lane = any(look.suspicious)
    and d.suspect and d.status = 'pending' and d.available_at <= :"find_suspect".at
    and d.handler = any(:"find_suspect".names)
    and (d.id in (select unnest(look.live))) is not true
    and (d.key is null
         or (not exists (select from :"schema".:"deliveries" e
                         where e.lane = d.lane and e.handler = d.handler and e.key = d.key
                           and e.status = 'pending' and e.sequence < d.sequence)
             and ((d.lane, d.handler, d.key) in (
               select b.lane, b.handler, b.key
               from unnest(look.busy_lanes, look.busy_handlers, look.busy_keys)
                 b(lane, handler, key))) is not true))
  order by d.available_at, d.id
  limit 1;
  return v_found;
end
$body$;
