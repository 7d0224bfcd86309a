-- Records a batch as in flight. Nothing is written to the deliveries themselves.
-- ?1 JSON array of ids
-- Locks:   the file, for writing.
-- Index:   penstock_deliveries' rowid.
insert into penstock_in_flight(lane, delivery, handler, key)
select d.lane, d.id, d.handler, d.key
from json_each(?1) t cross join penstock_deliveries d on d.id = t.value
