-- Takes unique keys for new jobs, whose ids are drawn here; where another job holds the key, its id
-- is the answer, in every race.
--
-- keys, states   One element per job; a null key takes nothing. States as queue_states() has them.
-- Returns: for each place the id, and whether it is a new one; for a null key nothing.
-- Locks:   the keys, in the order of their bytes; waits for whoever is taking or giving up one.
-- Index:   the primary key of queue_unique_keys.
-- Odd:     a key that is given up between the two looks is tried again.
create or replace function :"schema".:"queue_take_keys"(keys text[], states smallint[])
returns table(place integer, id bigint, created boolean)
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $body$
#variable_conflict use_column
declare
  v_position constant regclass := format('%I.%I', :'schema', :'queue_position')::regclass;
  v_place integer;
  v_key text;
  v_states smallint;
  v_id bigint;
begin
  for v_place, v_key, v_states in
    select u.place::integer, u.key, u.states
    from unnest(:"queue_take_keys".keys, :"queue_take_keys".states)
      with ordinality u(key, states, place)
    where u.key is not null order by u.key collate "C", u.place
  loop
    loop
      select k.id into v_id from :"schema".:"queue_unique_keys" k where k.key = v_key;
      created := not found;
      exit when found;
      insert into :"schema".:"queue_unique_keys"(key, id, states)
      values (v_key, nextval(v_position), v_states)
      on conflict do nothing returning :"queue_unique_keys".id into v_id;
      exit when found;
    end loop;
    place := v_place;
    id := v_id;
    return next;
  end loop;
end
$body$;
