-- Draws the id of an event: a UUIDv7, which is 48 bits of milliseconds and then random bits. The
-- same form as EventId::generate().
--
-- Returns: a UUID.
-- Odd:     gen_random_uuid() has set version 4 and the variant; two more bits make it version 7.
create or replace function :"schema".:"new_event_id"() returns uuid
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $body$
declare
  v_milliseconds constant bigint := floor(extract(epoch from :"schema".:"now"()) * 1000);
  v_bytes bytea := uuid_send(gen_random_uuid());
begin
  v_bytes := overlay(v_bytes placing substring(int8send(v_milliseconds) from 3) from 1 for 6);
  return encode(set_bit(set_bit(v_bytes, 52, 1), 53, 1), 'hex')::uuid;
end
$body$;
