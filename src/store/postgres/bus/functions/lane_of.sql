-- The lane of an ordering key, or of an event's id in canonical text: FNV-1a, 32 bit, over the
-- UTF-8 bytes, modulo 256. The same number as work/lane_hash.hpp: a product stays under 2^57.
--
-- Only SQL callers and late handlers need it: C++ publishes with lanes that it has worked out.
--
-- text  Key or id.
-- Returns: 0 to 255.
create or replace function :"schema".:"lane_of"(text text) returns smallint
language plpgsql immutable strict parallel safe
set search_path = pg_catalog, pg_temp
as $body$
declare
  v_bytes bytea := convert_to(text, 'UTF8');
  v_hash bigint := 2166136261;
begin
  for i in 0 .. length(v_bytes) - 1 loop
    v_hash := ((v_hash # get_byte(v_bytes, i)) * 16777619) & 4294967295;
  end loop;
  return v_hash & 255;
end
$body$;
