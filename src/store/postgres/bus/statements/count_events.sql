-- The time, how many events are stored, and how many leases were taken over since the tables were
-- made.
--
-- Returns: now, events, takeovers.
-- Locks:   none.
-- Index:   the smallest of events, whole.
select :"schema".:"now"(), (select count(*) from :"schema".:"events"),
       (select m.value from :"schema".:"meta" m where m.name = 'takeovers')
