-- Refuses an event that breaks a limit, with the rules of work/check.cpp: only publishers that are
-- no penstock program need it. What is no valid text the server has refused by itself.
--
-- place     What the message begins with, such as 'event 3: '.
-- type, key, content_type, headers, payload   Of the event. Only the key may be null.
-- Raises:  PS001.
-- Odd:     limits are of bytes in UTF-8, whatever the encoding of the database. Collation "C" and
--          E'' read the same for every caller.
create or replace function :"schema".:"check_event"(
  place text, type text, key text, content_type text, headers jsonb, payload bytea)
returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $body$
declare
  v_type_bytes constant integer := octet_length(convert_to(type, 'UTF8'));
  v_key_bytes constant integer := octet_length(convert_to(key, 'UTF8'));
  v_content_type_bytes constant integer := octet_length(convert_to(content_type, 'UTF8'));
  v_problem text;
begin
  v_problem := case
    when coalesce(v_type_bytes, 0) = 0 then 'type must not be empty; give one such as order.paid'
    when v_type_bytes > 200 then
      format('type has %s bytes; the limit is 200', v_type_bytes)
    when type collate "C" ~ E'[\\u0001-\\u001f\\u007f-\\u009f]' then
      format('type must be segments between dots, without control characters; found "%s"', type)
    when strpos(type, '*') > 0 then
      format('type must be segments between dots, without "*", which stands for any in a pattern '
             'only; found "%s"', type)
    when strpos('.' || type || '.', '..') > 0 then
      format('type must be segments between dots, none of them empty; found "%s"', type)
    when strpos('.' || type || '.', '. ') > 0 or strpos('.' || type || '.', ' .') > 0 then
      format('type must be segments between dots, none of them with a blank at its beginning or '
             'end; found "%s"', type)
    when v_key_bytes = 0 then 'key must not be empty; leave it null where order does not matter'
    when v_key_bytes > 1000 then format('key has %s bytes; the limit is 1000', v_key_bytes)
    when coalesce(v_content_type_bytes, 0) = 0 then 'content_type must not be empty'
    when v_content_type_bytes > 200 then
      format('content_type has %s bytes; the limit is 200', v_content_type_bytes)
    when jsonb_typeof(headers) is distinct from 'object' then
      format('headers must be a flat object of strings; found %s',
             coalesce(jsonb_typeof(headers), 'null'))
    when payload is null then 'payload must not be null; an empty one is allowed'
    when octet_length(payload) > 16777216 then
      format('payload has %s bytes; the limit is 16777216: store it elsewhere and publish where',
             octet_length(payload))
  end;
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
