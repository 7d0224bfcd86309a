-- Many rows of version 0.1.0: :rows events (a number in its place), one delivery each in any state;
-- half of them with one of 500 keys, each tenth id no UUID.
insert into relaybus_events (id, type, key, payload, headers, created_at)
select case when g % 10 = 0 then 'msg-' || g else md5(g::text)::uuid::text end, 'order.paid',
       case when g % 2 = 0 then 'order-' || g / 2 % 500 end,
       jsonb_build_object('n', g, 'note', 'a text; with: some, punctuation'),
       jsonb_build_object('trace', md5(g::text)), timestamptz '2024-01-01 00:00Z' + g * interval '1 ms'
from generate_series(1, :rows) g;
insert into relaybus_deliveries
  (id, event_id, handler, key, sequence, status, attempts, available_at,
   lease_owner, lease_token, lease_expires_at, last_error, created_at, updated_at, completed_at)
select md5('d' || e.id)::uuid::text, e.id, 'receipt', e.key,
       case when e.key is not null then row_number() over (partition by e.key order by e.created_at) end,
       e.status, 1, e.created_at, case e.status when 'processing' then 'worker-a' end,
       case e.status when 'processing' then 't' end,
       case e.status when 'processing' then e.created_at end,
       case e.status when 'dead' then 'broken' end, e.created_at, e.created_at,
       case e.status when 'completed' then e.created_at end
from (select *, (array['pending', 'completed', 'processing', 'dead'])[1 + ascii(md5(id)) % 4] as status
      from relaybus_events) e;
insert into relaybus_keys (key, sequence)
select key, max(sequence) from relaybus_deliveries where key is not null group by key;
