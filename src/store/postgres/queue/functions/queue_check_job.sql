-- Refuses a job that breaks a limit.
--
-- place  What a message begins with, such as 'job 3: '.
-- The others: as enqueue() has them.
-- Raises: PS001.
create or replace function :"schema".:"queue_check_job"(
  place text, queue text, kind text, payload bytea, priority smallint, ordering_key text,
  max_attempts integer, unique_key text, headers jsonb, content_type text)
returns void
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $body$
declare
  v_payload_limit constant integer := 16777216;
  v_name text;
  v_value text;
  v_limit integer;
  v_optional boolean;
  v_problem text;
begin
  for v_name, v_value, v_limit, v_optional in
    values ('queue', queue, 200, false), ('kind', kind, 200, false),
           ('content_type', content_type, 200, false), ('ordering_key', ordering_key, 1000, true),
           ('unique_key', unique_key, 1000, true)
  loop
    if v_value is null and v_optional then continue; end if;
    v_problem := coalesce(v_problem, case
      when coalesce(v_value, '') = '' and v_optional then
        format('%s must not be empty; leave it null for none', v_name)
      when coalesce(v_value, '') = '' then format('%s must not be empty', v_name)
      when octet_length(convert_to(v_value, 'UTF8')) > v_limit then
        format('%s has %s bytes; the limit is %s', v_name,
               octet_length(convert_to(v_value, 'UTF8')), v_limit)
    end);
  end loop;
  v_problem := coalesce(v_problem, case
    when priority is null or priority not between 1 and 4 then
      format('priority must be 1 (first) to 4, found %s', coalesce(priority::text, 'null'))
    when max_attempts is null or max_attempts not between 1 and 1000 then
      format('max_attempts must be 1 to 1000, found %s', coalesce(max_attempts::text, 'null'))
    when payload is null then 'payload must not be null; an empty one is allowed'
    when octet_length(payload) > v_payload_limit then
      format('payload has %s bytes; the limit is %s: store it elsewhere and enqueue where',
             octet_length(payload), v_payload_limit)
    when jsonb_typeof(headers) is distinct from 'object' then
      format('headers must be a flat object of strings; found %s',
             coalesce(jsonb_typeof(headers), 'null'))
  end);
  if v_problem is null and headers <> '{}' then
    select case
      when count(*) filter (where jsonb_typeof(h.value) <> 'string') > 0 then
        format('headers must be a flat object of strings; found another value as "%s"',
               min(h.key) filter (where jsonb_typeof(h.value) <> 'string'))
      when bool_or(h.key = '') then 'headers must not have an empty name'
      when sum(octet_length(convert_to(h.key, 'UTF8'))
               + octet_length(convert_to(h.value #>> '{}', 'UTF8'))) > 65536 then
        'headers have more than 65536 bytes, names and values together'
    end
    into v_problem
    from jsonb_each(headers) h(key, value);
  end if;
  if v_problem is not null then
    raise exception using errcode = 'PS001', message = place || v_problem;
  end if;
end
$body$;
