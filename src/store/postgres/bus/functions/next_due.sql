-- When the next delivery that is not due yet will be: a hint. Of each lane only the next few rows
-- are asked, so rows of handlers that this worker does not run may hide one.
--
-- look    Of the claim.
-- names   Handlers to pick for.
-- at      Now.
-- Returns: microseconds from now, or null.
-- Locks:   none.
-- Index:   deliveries_due.
create or replace function :"schema".:"next_due"(
  look :"schema".:"lane_look", names text[], at timestamptz)
returns bigint
language plpgsql
as $body$
#variable_conflict use_column
declare
  v_next timestamptz;
begin
  select min(n.available_at) into v_next
  from unnest(look.lanes) u(lane)
  cross join lateral (
    select d.available_at
    from (select d.available_at, d.handler from :"schema".:"deliveries" d
          where d.lane = u.lane and d.status = 'pending' and d.available_at > :"next_due".at
          order by d.available_at, d.id limit 16) d
    where d.handler = any(:"next_due".names)
    limit 1) n;
  if v_next is null or v_next = 'infinity' then return null; end if;
  return extract(epoch from v_next - :"next_due".at) * 1000000;
end
$body$;
