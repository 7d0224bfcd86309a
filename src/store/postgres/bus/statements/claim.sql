-- Claims a batch; see functions/claim.sql, which says what the columns are.
--
-- $1 worker text, $2 handlers text[], $3 rooms integer[], $4 batch integer, $5 run limit integer,
-- $6 lease bigint (microseconds), $7 take a suspect boolean, $8 first lane integer,
-- $9 rescan boolean, $10 cursor times timestamptz[], $11 cursor ids bigint[]
-- Returns: id, lane, epoch, claims, handler, key, sequence, attempts, suspect, event id,
--          published at, type, content type, headers, payload, suspects wait, next due
--          (microseconds), lost, cut lanes, cut times, cut ids.
-- Locks:   as the function.
select * from :"schema".:"claim"($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
