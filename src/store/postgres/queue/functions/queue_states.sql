-- The states in which a job holds its unique key, as a number: scheduled 1, ready 2, running 4,
-- retrying 8, completed 16, dead 32, cancelled 64.
--
-- states  Null: scheduled, ready, running, retrying. Scheduled, ready and retrying must be among
--         them: a job that waits holds its key, so none is taken while the job changes lanes.
-- Returns: the sum.
-- Raises:  PS001.
create or replace function :"schema".:"queue_states"(states text[]) returns smallint
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $body$
declare
  v_names constant text[] := array['scheduled', 'ready', 'running', 'retrying', 'completed', 'dead',
                                   'cancelled'];
  v_mask integer := 0;
  v_name text;
begin
  if states is null then return 15; end if;
  foreach v_name in array states loop
    if array_position(v_names, v_name) is null then
      raise exception using errcode = 'PS001', message = format(
        'unique_states: expected some of %s, found "%s"', array_to_string(v_names, ', '), v_name);
    end if;
    v_mask := v_mask | (1 << (array_position(v_names, v_name) - 1));
  end loop;
  if v_mask & 11 <> 11 then
    raise exception using errcode = 'PS001', message =
      'unique_states must include scheduled, ready and retrying';
  end if;
  return v_mask;
end
$body$;
