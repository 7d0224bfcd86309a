-- Purpose:    removes the schema of a store, where nothing else is in it.
-- Parameters: none.
-- Columns:    none.
-- Locks:      the schema, until the end of the transaction.
-- Index:      none.
do $body$
begin
  drop schema if exists :"schema" restrict;
exception when dependent_objects_still_exist then
  null;
end
$body$;
