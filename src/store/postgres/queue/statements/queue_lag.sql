-- How far each lane's claims are behind its jobs: the query of the operations guide.
--
-- Returns: queue, priority, shard, next seq, claim seq, lag.
-- Locks:   none.
-- Index:   the primary keys of the ring tables.
select c.queue, c.priority, c.enqueue_shard, e.next_seq, c.claim_seq, e.next_seq - c.claim_seq
from :"schema".:"queue_claim_heads" c
join :"schema".:"queue_enqueue_heads" e
  on e.queue = c.queue and e.priority = c.priority and e.enqueue_shard = c.enqueue_shard
order by c.queue, c.priority, c.enqueue_shard
