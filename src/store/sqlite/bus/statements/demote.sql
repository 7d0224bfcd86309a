-- Takes the first pending delivery of each given handler and key from the head of its key, before
-- others that may come before it become pending; promote.sql follows.
-- ?1 JSON array of [key, handler]
-- Locks:   the file, for writing.
-- Index:   penstock_deliveries_by_key, one jump per key.
update penstock_deliveries set head = 0
where head = 1 and id in (
  select (select n.id from penstock_deliveries n
          where n.key = t.value ->> 0 and n.handler = t.value ->> 1 and n.status = 'pending'
          order by n.sequence limit 1)
  from json_each(?1) t)
