-- Stores one event, and its deliveries; see functions/publish_one.sql.
--
-- $1 id uuid, $2 type text, $3 key text or null, $4 content type text, $5 headers jsonb,
-- $6 payload bytea, $7 lane integer
-- Returns: created, handlers.
-- Locks:   as the function.
select * from :"schema".:"publish_one"($1, $2, $3, $4, $5, $6, $7)
