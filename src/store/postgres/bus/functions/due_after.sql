-- When something that is put off becomes due. A delay beyond any calendar means never.
--
-- delay  Microseconds; a negative delay is none.
-- Returns: a time by the one clock.
create or replace function :"schema".:"due_after"(delay bigint) returns timestamptz
language sql stable parallel safe
as $body$
  select case when delay > 3000000000000000000 then 'infinity'::timestamptz
              else :"schema".:"now"() + greatest(delay, 0) * interval '1 microsecond' end
$body$;
