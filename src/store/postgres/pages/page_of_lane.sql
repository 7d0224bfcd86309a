-- Purpose:    the page on which the current version of a lane's row lies.
-- Parameters: $1 bigint, the lane.
-- Columns:    page bigint.
-- Locks:      none.
-- Index:      primary key of lanes.
select (l.ctid::text::point)[0]::bigint as page
from :"schema".:"lanes" l where l.lane = $1::bigint
