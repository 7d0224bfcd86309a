-- For programs in any language: publishes one event, in the transaction of its caller.
--
-- type          What happened, such as order.paid.
-- payload       Bytes; for a text: convert_to(text, 'UTF8').
-- key           Ordering key; null: no order.
-- headers       Flat object of strings.
-- id            Makes a repeated publish harmless; null: drawn here.
-- content_type  Of the payload.
-- Returns: the id of the event. One that is there already stays as it is.
-- Raises:  PS001 where a limit is broken; nothing was written then.
-- Locks:   as publish_batch.
create or replace function :"schema".:"publish"(
  type text, payload bytea, key text default null, headers jsonb default '{}',
  id uuid default null, content_type text default 'application/json')
returns uuid
language plpgsql
set search_path = pg_catalog, pg_temp
as $body$
begin
  return (select p.id
          from :"schema".:"publish_checked"(
            array[:"publish".id], array[:"publish".type], array[:"publish".key],
            array[:"publish".content_type], array[:"publish".headers],
            array[:"publish".payload]) p);
end
$body$;
