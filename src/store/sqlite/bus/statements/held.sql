-- The fence. Of the tokens presented, those that still hold: the lane has the token's epoch, the
-- delivery is in flight in it, and no claim of it has ended since. Every write of a worker asks this
-- first, in the same transaction.
-- ?1 JSON array of [id, lane, epoch, claims]
-- Returns: id, lane, handler, key.
-- Index:   rowids and penstock_in_flight's key, in the order of the joins.
select d.id, d.lane, d.handler, d.key
from json_each(?1) t
cross join penstock_lanes l on l.lane = t.value ->> 1
cross join penstock_in_flight f on f.lane = l.lane and f.delivery = t.value ->> 0
cross join penstock_deliveries d on d.id = f.delivery
where d.status = 'pending'
  and l.epoch = t.value ->> 2  --@mutant drop_epoch_check
  and d.claims = t.value ->> 3  --@mutant drop_claims_check
