-- Everything that setup makes in the current schema, as text: tables and sequences with their
-- parameters, columns, constraints, indexes, functions and types. Contents and oids are left out.
select string_agg(s.line, E'\n' order by s.line)
from (select format('%s %s %s', c.relkind, c.relname, c.reloptions) as line
      from pg_class c where c.relnamespace = current_schema()::regnamespace
      union all
      select format('column %s.%s %s %s null:%s %s %s storage:%s', c.relname, a.attname, a.attnum,
                    format_type(a.atttypid, a.atttypmod), not a.attnotnull, a.attidentity,
                    pg_get_expr(d.adbin, d.adrelid), a.attstorage)
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and not a.attisdropped and a.attnum > 0
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
      union all
      select format('constraint %s %s', o.conname, pg_get_constraintdef(o.oid))
      from pg_constraint o where o.connamespace = current_schema()::regnamespace
      union all
      select pg_get_indexdef(c.oid)
      from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind = 'i'
      union all
      select pg_get_functiondef(p.oid)
      from pg_proc p where p.pronamespace = current_schema()::regnamespace
      union all
      select format('type %s', t.typname)
      from pg_type t where t.typnamespace = current_schema()::regnamespace and t.typtype <> 'b') s
