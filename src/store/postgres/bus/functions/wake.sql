-- Notifies dispatchers that work may be due, but only while one waits: a notification takes a lock
-- of the whole cluster at commit, so a busy system must send none.
--
-- Channel: that of statements/channel.sql.
-- Locks:   none before commit.
-- Index:   none: workers has few rows.
create or replace function :"schema".:"wake"() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $body$
begin
  if exists (select from :"schema".:"workers" w where w.waiting_until > :"schema".:"now"()) then
    perform pg_notify(
      'penstock_' || (select m.tableoid::text from :"schema".:"meta" m limit 1), '');
  end if;
end
$body$;
