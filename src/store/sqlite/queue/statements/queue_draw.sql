-- Draws numbers. ?1 counter, ?2 how many. Returns: the last of them.
update penstock_queue_counters set value = value + ?2 where name = ?1 returning value
