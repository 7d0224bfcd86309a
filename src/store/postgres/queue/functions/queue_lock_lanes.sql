-- Takes the advisory locks of lanes, in order, to the end of the transaction: so a later position
-- never becomes visible before an earlier one. Of enqueue and promote alone.
--
-- lanes     Their numbers, in any order.
-- Returns:  nothing; waits.
-- Locks:    the lanes' advisory locks.
-- Odd:      the list of what this transaction holds is a setting that ends with it, and that a
--           rollback to a savepoint sets back together with the locks.
create or replace function :"schema".:"queue_lock_lanes"(lanes integer[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $body$
declare
  v_class constant integer := :"schema".:"queue_lane_lock"();
  v_name constant text := 'penstock.lanes_' || (v_class::bigint & 4294967295);
  v_lane integer;
begin
  for v_lane in select u.lane from unnest(lanes) u(lane) order by u.lane loop
    perform true
      , pg_advisory_xact_lock(v_class, v_lane)  --@mutant no_lane_lock
    ;
  end loop;
  perform set_config(v_name, concat_ws(',', nullif(current_setting(v_name, true), ''),
                                       array_to_string(lanes, ',')), true);
end
$body$;
