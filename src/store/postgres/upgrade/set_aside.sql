-- Purpose:    upgrade from 0.1.0, step 2: renames the old tables, so that the new ones can be made
--             under their names. Raises PS005 where something of the user's would be lost.
-- Parameters: none.
-- Columns:    none.
-- Locks:      the old tables against everybody, to the end of the transaction.
-- Index:      none: the old ones go now, because their names are needed.
-- Oddity:     not an update in place: filling new tables takes as long for 500,000 deliveries, and
--             leaves neither dead rows nor grown indexes.
lock table :"schema".:"events", :"schema".:"keys", :"schema".:"deliveries" in access exclusive mode;

do $upgrade$
declare
  v_tables constant oid[] := array[
    format('%I.%I', :'schema', :'events')::regclass, format('%I.%I', :'schema', :'keys')::regclass,
    format('%I.%I', :'schema', :'deliveries')::regclass];
  v_columns constant text[] := array[
    'id', 'event_id', 'type', 'handler', 'key', 'sequence', 'payload', 'headers', 'status',
    'attempts', 'available_at', 'lease_owner', 'lease_token', 'lease_expires_at', 'last_error',
    'created_at', 'updated_at', 'completed_at'];
  v_unknown text;
  v_drop text;
begin
  select string_agg(u.what, ', ' order by u.what) into v_unknown
  from (select format('column %I of %s', a.attname, a.attrelid::regclass) as what
        from pg_attribute a
        where a.attrelid = any(v_tables) and a.attnum > 0 and not a.attisdropped
          and a.attname <> all(v_columns)
        union all
        select format('foreign key %I of %s', c.conname, c.conrelid::regclass)
        from pg_constraint c
        where c.confrelid = any(v_tables) and c.conrelid <> all(v_tables)
        union all
        select format('view %s', r.ev_class::regclass)
        from pg_rewrite r join pg_depend d
          on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
        where d.refclassid = 'pg_class'::regclass and d.refobjid = any(v_tables)
        group by r.ev_class
        union all
        select format('trigger %I of %s', t.tgname, t.tgrelid::regclass)
        from pg_trigger t where t.tgrelid = any(v_tables) and not t.tgisinternal
        union all
        select format('publication %I', p.pubname)
        from pg_publication p join pg_publication_rel r on r.prpubid = p.oid
        where r.prrelid = any(v_tables)
        group by p.pubname
        union all
        select format('status %L of a delivery', d.status)
        from :"schema".:"deliveries" d
        where d.status not in ('pending', 'processing', 'completed', 'dead')
        group by d.status) u;
  if v_unknown is not null then
    raise exception using errcode = 'PS005', message = format(
      'the tables of version 0.1.0 have what version 0.1.0 does not make: %s; the upgrade would '
      'lose it: take it away first, and make it anew afterwards', v_unknown);
  end if;

  for v_drop in
    select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname)
    from pg_constraint c where c.conrelid = any(v_tables) and c.contype in ('f', 'p', 'u', 'x')
    order by c.contype  -- foreign keys before the primary keys that they point to
  loop
    execute v_drop;
  end loop;
  for v_drop in
    select format('drop index %s', i.indexrelid::regclass)
    from pg_index i where i.indrelid = any(v_tables)
  loop
    execute v_drop;
  end loop;
end
$upgrade$;

alter table :"schema".:"events" rename to :"old_events";
alter table :"schema".:"keys" rename to :"old_keys";
alter table :"schema".:"deliveries" rename to :"old_deliveries";
