-- The job has ended, or (?3 null) lives again, and keeps its key. ?1 key, ?2 id, ?3 when it ended
update penstock_unique_keys set ended_at = ?3 where key = ?1 and id = ?2
