-- Takes or keeps a duty; see functions/lead.sql.
--
-- $1 duty text, $2 holder text, $3 lease bigint (microseconds)
-- Returns: whether the caller has it.
-- Locks:   the duty's row.
select :"schema".:"lead"($1, $2, $3)
