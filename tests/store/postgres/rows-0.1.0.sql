-- Rows of version 0.1.0 in every state, with and without key, for legacy-0.1.0.sql.
-- Event ids: canonical, in upper case, and none of a UUID at all.
insert into relaybus_events (id, type, key, payload, headers, created_at) values
  ('00000000-0000-4000-8000-000000000001', 'order.paid', 'order-1', '{"n": 1}', '{}', '2024-01-01 00:00:01Z'),
  ('00000000-0000-4000-8000-000000000002', 'order.paid', 'order-1', '{"n": 2}', '{}', '2024-01-01 00:00:02Z'),
  ('00000000-0000-4000-8000-000000000003', 'order.paid', 'order-1', '{"n": 3}', '{}', '2024-01-01 00:00:03Z'),
  ('00000000-0000-4000-8000-000000000004', 'order.paid', 'order-2', '{"n": 4}', '{}', '2024-01-01 00:00:04Z'),
  ('00000000-0000-4000-8000-000000000005', 'scan.done', null, '{"n": 5}', '{}', '2024-01-01 00:00:05Z'),
  ('ABCDEF00-0000-4000-8000-000000000006', 'scan.done', null, '{"n": 6}', '{}', '2024-01-01 00:00:06Z'),
  ('msg-7', 'scan.done', null, '{"n": 7}', '{"trace": "t7"}', '2024-01-01 00:00:07Z'),
  ('msg-8', 'scan.done', null, '{"n": 8}', '{}', '2024-01-01 00:00:08Z'),
  ('00000000-0000-4000-8000-000000000009', 'scan.done', null, '{"n": 9}', '{}', '2024-01-01 00:00:09Z');
insert into relaybus_keys (key, sequence) values ('order-1', 3), ('order-2', 7);
-- The third of order-1 was created before the second: transactions commit in another order than
-- they begin. Ids are in no order at all.
insert into relaybus_deliveries
  (id, event_id, handler, key, sequence, status, attempts, available_at,
   lease_owner, lease_token, lease_expires_at, last_error, created_at, updated_at, completed_at) values
  ('d9', '00000000-0000-4000-8000-000000000001', 'receipt', 'order-1', 1, 'completed', 1, '2024-01-01 00:00:01Z',
   null, null, null, null, '2024-01-01 00:00:01Z', '2024-01-01 00:01:01Z', '2024-01-01 00:01:00Z'),
  ('d8', '00000000-0000-4000-8000-000000000002', 'receipt', 'order-1', 2, 'processing', 3, '2024-01-01 00:02:00Z',
   'worker-a', 't', '2024-01-01 00:02:00Z', 'timed out', '2024-01-01 00:00:03Z', '2024-01-01 00:01:02Z', null),
  ('d7', '00000000-0000-4000-8000-000000000003', 'receipt', 'order-1', 3, 'pending', 0, '2024-01-01 00:00:02Z',
   null, null, null, null, '2024-01-01 00:00:02Z', '2024-01-01 00:00:02Z', null),
  ('d6', '00000000-0000-4000-8000-000000000004', 'receipt', 'order-2', 7, 'dead', 25, '2024-01-01 00:00:04Z',
   null, null, null, 'no such order', '2024-01-01 00:00:04Z', '2024-01-01 00:01:04Z', null),
  ('d5', '00000000-0000-4000-8000-000000000005', 'index', null, null, 'pending', 2, '2024-01-01 00:05:00Z',
   null, null, null, 'busy', '2024-01-01 00:00:05Z', '2024-01-01 00:01:05Z', null),
  ('d4', 'ABCDEF00-0000-4000-8000-000000000006', 'index', null, null, 'processing', 1, '2024-01-01 00:03:00Z',
   'worker-b', 't', '2024-01-01 00:03:00Z', null, '2024-01-01 00:00:06Z', '2024-01-01 00:01:06Z', null),
  ('d3', 'msg-7', 'index', null, null, 'completed', 1, '2024-01-01 00:00:07Z',
   null, null, null, null, '2024-01-01 00:00:07Z', '2024-01-01 00:01:07Z', null),
  ('d2', 'msg-7', 'archive', null, null, 'pending', 0, '2024-01-01 00:00:07Z',
   null, null, null, null, '2024-01-01 00:00:07Z', '2024-01-01 00:00:07Z', null),
  ('d1', 'msg-8', 'index', null, null, 'dead', 25, '2024-01-01 00:00:08Z',
   null, null, null, 'broken', '2024-01-01 00:00:08Z', '2024-01-01 00:01:08Z', null);
