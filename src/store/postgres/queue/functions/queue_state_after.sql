-- The state of a job after an attempt: the progress it left, and one more error; the last 20.
--
-- state     Before; may be null.
-- attempt   Number of the attempt, from 1.
-- progress  New progress; null: as before.
-- error     Null or empty: none. Cut to 8192 bytes.
-- Returns:  null where there is nothing to say.
create or replace function :"schema".:"queue_state_after"(state jsonb, attempt integer,
                                                          progress jsonb, error text)
returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $body$
declare
  v_error_limit constant integer := 8192;
  v_errors_limit constant integer := 20;
  v_state jsonb := coalesce(state, '{}');
  v_errors jsonb := coalesce(v_state -> 'errors', '[]');
  v_text text := error;
begin
  if progress is not null then v_state := jsonb_set(v_state, '{progress}', progress); end if;
  if v_text <> '' then
    -- Bytes, cut at a character: at most four bytes are one.
    if octet_length(v_text) > v_error_limit then
      v_text := left(v_text, v_error_limit);
      while octet_length(v_text) > v_error_limit loop
        v_text := left(v_text, -greatest(1, (octet_length(v_text) - v_error_limit) / 4));
      end loop;
    end if;
    v_errors := v_errors || jsonb_build_array(jsonb_build_object(
      'attempt', attempt, 'at', :"schema".:"now"(), 'error', v_text));
    while jsonb_array_length(v_errors) > v_errors_limit loop
      v_errors := v_errors - 0;
    end loop;
    v_state := jsonb_set(v_state, '{errors}', v_errors);
  end if;
  return nullif(v_state, '{}');
end
$body$;
