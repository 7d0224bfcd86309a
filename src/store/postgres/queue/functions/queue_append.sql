-- Draws positions for a batch whose lanes are locked.
--
-- count    How many.
-- Returns: the slot to write to, and the positions, ascending.
-- Locks:   none.
-- Odd:     the generation is read after the locks, by a new statement and outside any snapshot.
create or replace function :"schema".:"queue_append"(count integer, out slot smallint,
                                                     out positions bigint[])
language plpgsql
set search_path = pg_catalog, pg_temp
as $body$
declare
  v_position constant regclass := format('%I.%I', :'schema', :'queue_position')::regclass;
begin
  slot := (select g.last_value % 8 from :"schema".:"queue_generation" g);
  positions := array(select nextval(v_position) from generate_series(1, count));
end
$body$;
