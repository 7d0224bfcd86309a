-- The version of the tables in this file. Absent table: setup never ran here.
-- Returns: version.
-- Index:   penstock_meta's key.
select value from penstock_meta where name = 'schema_version'
