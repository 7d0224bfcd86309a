-- How many events are stored, and how many leases were taken over since the tables were made.
-- Returns: events, takeovers.
-- Index:   the smallest of penstock_events, whole.
select (select count(*) from penstock_events),
       (select value from penstock_meta where name = 'takeovers')
