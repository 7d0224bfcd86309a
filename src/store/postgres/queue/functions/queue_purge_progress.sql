-- Deletes the progress of attempts that are over, and whose slots were given back.
--
-- batch    At most so many.
-- Returns: how many.
-- Locks:   the rows it deletes.
-- Index:   the primary keys of queue_progress and queue_running; queue_claims is probed by claim
--          only for rows that were saved, which are few.
create or replace function :"schema".:"queue_purge_progress"(batch integer) returns integer
language plpgsql
set search_path = pg_catalog, pg_temp
as $body$
declare
  v_count integer;
begin
  delete from :"schema".:"queue_progress" p where (p.claim, p.ordinal) in (
    select o.claim, o.ordinal from :"schema".:"queue_progress" o
    where not exists (select from :"schema".:"queue_claims" c where c.claim = o.claim)
      and not exists (select from :"schema".:"queue_running" r
                      where r.claim = o.claim and r.ordinal = o.ordinal)
    limit batch);
  get diagnostics v_count = row_count;
  return v_count;
end
$body$;
