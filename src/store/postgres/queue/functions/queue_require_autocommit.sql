-- Refuses a call whose statements would not each see what was committed before them: every check
-- behind a lock depends on that.
--
-- Raises: PS001.
-- Locks:  none.
-- Odd:    row locks without updates never fail with 40001, so under REPEATABLE READ a claim would
--         go on with what it saw before the lock, and hand out jobs twice.
create or replace function :"schema".:"queue_require_autocommit"() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $body$
declare
  v_isolation text := 'read committed';
begin
  v_isolation := current_setting('transaction_isolation');  --@mutant allow_repeatable_read
  if v_isolation <> 'read committed' then
    raise exception using errcode = 'PS001', message =
      'the queue needs READ COMMITTED here, found ' || upper(v_isolation)
      || ': begin isolation level read committed';
  end if;
end
$body$;
