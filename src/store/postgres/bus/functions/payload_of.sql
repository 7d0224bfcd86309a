-- The payload of an event that stands in JSON.
--
-- place  What a message begins with, such as 'event 3: '.
-- event  An object with `payload`, any JSON, or `payload_base64`, a string.
-- Returns: the bytes: of `payload` the text without blanks between its pieces, in the order of
--          members that jsonb has.
-- Raises:  PS001.
-- Odd:     the pattern takes a string as a whole, so that only the blanks outside are dropped.
--          decode() is laxer than base64 is, so its answer is encoded and compared.
create or replace function :"schema".:"payload_of"(place text, event jsonb) returns bytea
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $body$
declare
  v_text constant text := event ->> 'payload_base64';
  v_bytes bytea;
  v_problem text;
begin
  if event ? 'payload' and event ? 'payload_base64' then
    v_problem := 'expected payload or payload_base64, found both';
  elsif event ? 'payload' then
    v_bytes := convert_to(
      regexp_replace((event -> 'payload')::text collate "C",
                     E'("(?:[^"\\\\]|\\\\.)*")|([,:]) ', E'\\1\\2', 'g'), 'UTF8');
  elsif v_text is null then
    v_problem := 'expected payload or payload_base64, found neither';
  else
    begin
      v_bytes := decode(v_text, 'base64');
    exception when invalid_parameter_value then
      v_bytes := null;
    end;
    if v_bytes is null or replace(encode(v_bytes, 'base64'), E'\n', '') <> v_text then
      v_problem := 'payload_base64: expected base64 with padding, found something else';
    end if;
  end if;
  if v_problem is not null then
    raise exception using errcode = 'PS001', message = place || v_problem;
  end if;
  return v_bytes;
end
$body$;
