-- The rest of publish_batch where some ids were there already. Their events stand as they are, and
-- only handlers that never had them get them.
--
-- ids, keys, lanes        As publish_batch has them.
-- created                 The ids that are new.
-- ordinals, handlers      The deliveries of those: place of the event, and handler.
-- Returns: as publish_batch.
-- Locks:   the events that were there, by id, for no key update; then as deliver().
-- Index:   the primary key of events.
create or replace function :"schema".:"publish_again"(
  ids uuid[], keys text[], lanes integer[], created uuid[], ordinals integer[], handlers text[])
returns table(ordinal integer, is_created boolean, added text[])
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
as $body$
#variable_conflict use_column
declare
  v_new integer[];       -- the places of the new events
  v_place integer;
  v_key text;
  v_handlers text[];
  v_keys text[] := :"publish_again".keys;
  v_lanes integer[] := :"publish_again".lanes;
  v_ordinals integer[] := coalesce(:"publish_again".ordinals, '{}');
  v_of text[] := coalesce(:"publish_again".handlers, '{}');
  v_id uuid;
begin
  select coalesce(array_agg(u.place), '{}') into v_new
  from (select min(u.place)::integer as place
        from unnest(:"publish_again".ids) with ordinality u(id, place)
        where u.id = any(:"publish_again".created) group by u.id) u;

  for v_id, v_place in
    select u.id, min(u.place)::integer
    from unnest(:"publish_again".ids) with ordinality u(id, place)
    where u.place <> all(v_new) group by u.id order by u.id
  loop
    perform from :"schema".:"events" e where e.id = v_id for no key update;
    if not found then
      raise exception 'event % was purged while it was published again', v_id
        using errcode = 'serialization_failure';
    end if;
    -- A statement of its own: it sees what the holder of the lock wrote.
    select e.key, array_agg(s.handler order by s.handler) into v_key, v_handlers
    from :"schema".:"events" e
    join :"schema".:"subscriptions" s
      on exists (select from unnest(s.types) p(pattern)
                 where p.pattern = '*' or p.pattern = e.type
                    or (right(p.pattern, 2) = '.*' and length(e.type) > length(p.pattern) - 1
                        and starts_with(e.type, left(p.pattern, -1))))
    where e.id = v_id
      and s.handler <> all(e.handlers)  --@mutant duplicate_event_redelivers
    group by e.id;
    if v_handlers is null then continue; end if;

    update :"schema".:"events" e set handlers = e.handlers || v_handlers where e.id = v_id;
    v_ordinals := v_ordinals || array_fill(v_place, array[cardinality(v_handlers)]);
    v_of := v_of || v_handlers;
    v_keys[v_place] := v_key;  -- The stored event's, whatever this one says.
    if v_lanes is not null then
      v_lanes[v_place] := :"schema".:"lane_of"(coalesce(v_key, v_id::text));
    end if;
  end loop;

  if v_ordinals <> '{}' then
    perform :"schema".:"deliver"(:"publish_again".ids, v_keys, v_lanes, v_ordinals, v_of);
  end if;
  return query
    select u.place::integer, u.place = any(v_new),
           array(select d.handler from unnest(v_ordinals, v_of) d(place, handler)
                 where d.place = u.place order by d.handler)
    from unnest(:"publish_again".ids) with ordinality u(id, place)
    order by u.place;
end
$body$;
