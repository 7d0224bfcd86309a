-- Takes, or keeps, a duty that one process at a time does. No duty depends on being alone: two that
-- overlap do no harm.
--
-- duty     Such as 'queue'.
-- holder   Name of this process incarnation.
-- lease    Microseconds from now; 0 gives it up.
-- Returns: whether the caller has it.
-- Locks:   the duty's row.
-- Index:   the primary key of leaders.
create or replace function :"schema".:"lead"(duty text, holder text, lease bigint) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $body$
#variable_conflict use_column
declare
  v_now constant timestamptz := :"schema".:"now"();
begin
  insert into :"schema".:"leaders" as l (duty, holder, expires_at)
  values (:"lead".duty, :"lead".holder, :"schema".:"due_after"(:"lead".lease))
  on conflict (duty) do update
    set holder = excluded.holder, expires_at = excluded.expires_at
    where l.holder = excluded.holder or l.expires_at <= v_now;
  return found and lease > 0;
end
$body$;
