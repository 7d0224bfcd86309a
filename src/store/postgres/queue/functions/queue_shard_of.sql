-- The shard of an ordering key: the hash of lane_of(), FNV-1a, 32 bit, modulo the width.
--
-- key     Ordering key.
-- shards  The queue's width, 1 to 64.
-- Returns: 0 to shards - 1.
create or replace function :"schema".:"queue_shard_of"(key text, shards integer) returns smallint
language plpgsql immutable strict parallel safe
set search_path = pg_catalog, pg_temp
as $body$
declare
  v_bytes bytea;
  v_hash bigint := 2166136261;
begin
  if shards = 1 then return 0; end if;
  v_bytes := convert_to(key, 'UTF8');
  for i in 0 .. length(v_bytes) - 1 loop
    v_hash := ((v_hash # get_byte(v_bytes, i)) * 16777619) & 4294967295;
  end loop;
  return v_hash % shards;
end
$body$;
