-- Stores events, and one delivery for each subscribed handler, in three statements for any number.
--
-- An id that is there already adds deliveries only for handlers that the event never had one for;
-- its row is locked, so of two that publish it at once the second sees what the first added.
--
-- ids, types, keys, content_types, headers, payloads   One element per event; keys may be null.
-- lanes   Of key or id, as lane_of() would have it; or null as a whole: worked out here.
-- Returns: ordinal (from 1, in order), created (false: a duplicate), handlers that got a delivery.
-- Locks:   events by id (inserted, or for no key update), then keys by their bytes, to the end of the
--          transaction: that makes the order within a key the order of commits.
-- Index:   the primary keys of events and keys.
-- Odd:     nested loops are off, because a plan made for any batch must not compare every event
--          with every other.
create or replace function :"schema".:"publish_batch"(
  ids uuid[], types text[], keys text[], content_types text[], headers jsonb[], payloads bytea[],
  lanes integer[],
  out ordinal integer, out created boolean, out handlers text[])
returns setof record
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_nestloop = off
set enable_mergejoin = off
as $body$
#variable_conflict use_column
declare
  v_now constant timestamptz := :"schema".:"now"();
  v_types text[];       -- each type once, and beside it …
  v_places integer[];   -- … the place of each of its handlers, and …
  v_matches text[];     -- … the handler.
  v_created uuid[];
  v_ordinals integer[]; -- of the deliveries to make
  v_handlers text[];
begin
  select array_agg(distinct t.type) into v_types from unnest(:"publish_batch".types) t(type);
  select array_agg(t.place order by s.handler), array_agg(s.handler order by s.handler)
  into v_places, v_matches
  from unnest(v_types) with ordinality t(type, place)
  join :"schema".:"subscriptions" s
    on exists (select from unnest(s.types) p(pattern)
               where p.pattern = '*' or p.pattern = t.type
                  or (right(p.pattern, 2) = '.*' and length(t.type) > length(p.pattern) - 1
                      and starts_with(t.type, left(p.pattern, -1))));

  with matching as materialized (
    select t.type, coalesce(m.handlers, '{}') as handlers
    from unnest(v_types) with ordinality t(type, place)
    left join (select m.place, array_agg(m.handler) as handlers
               from unnest(v_places, v_matches) m(place, handler) group by m.place) m
      on m.place = t.place
  ),
  inserted as (
    insert into :"schema".:"events" as e
      (id, created_at, type, key, content_type, headers, handlers, payload)
    select u.id, v_now, u.type, u.key, u.content_type, u.headers, m.handlers, u.payload
    from unnest(:"publish_batch".ids, :"publish_batch".types, :"publish_batch".keys,
                :"publish_batch".content_types, :"publish_batch".headers, :"publish_batch".payloads)
      with ordinality u(id, type, key, content_type, headers, payload, ordinal)
    join matching m on m.type = u.type
    order by u.id, u.ordinal
    on conflict do nothing
    returning e.id
  )
  select array_agg(i.id) into v_created from inserted i;

  -- What is new gets the handlers of its type. The first of an id that stands twice is the new one.
  select array_agg(f.ordinal), array_agg(m.handler) into v_ordinals, v_handlers
  from (select distinct on (u.id) u.ordinal::integer, u.type
        from unnest(:"publish_batch".ids, :"publish_batch".types) with ordinality u(id, type, ordinal)
        join unnest(v_created) c(id) on c.id = u.id
        order by u.id, u.ordinal) f
  join unnest(v_types) with ordinality t(type, place) on t.type = f.type
  join unnest(v_places, v_matches) m(place, handler) on m.place = t.place;

  if coalesce(cardinality(v_created), 0) < cardinality(:"publish_batch".ids) then
    return query select * from :"schema".:"publish_again"(
      :"publish_batch".ids, :"publish_batch".keys, :"publish_batch".lanes, coalesce(v_created, '{}'),
      v_ordinals, v_handlers);
  else
    if v_ordinals is not null then
      perform :"schema".:"deliver"(:"publish_batch".ids, :"publish_batch".keys, :"publish_batch".lanes,
                                   v_ordinals, v_handlers);
    end if;
    return query
      select u.ordinal::integer, true, coalesce(h.handlers, '{}')
      from unnest(:"publish_batch".ids) with ordinality u(id, ordinal)
      left join (select d.ordinal, array_agg(d.handler order by d.handler) as handlers
                 from unnest(v_ordinals, v_handlers) d(ordinal, handler) group by d.ordinal) h
        on h.ordinal = u.ordinal
      order by u.ordinal;
  end if;
end
$body$;
