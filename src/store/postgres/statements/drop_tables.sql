-- Purpose:    removes the tables of a store; its functions are gone before.
-- Parameters: none.
-- Columns:    none.
-- Locks:      every table of the store, until the end of the transaction.
-- Index:      none.
drop table if exists :"schema".:"events", :"schema".:"deliveries", :"schema".:"lanes",
  :"schema".:"keys", :"schema".:"subscriptions", :"schema".:"workers", :"schema".:"completed",
  :"schema".:"meta";
drop type if exists :"schema".:"lane_look";
drop function if exists :"schema".:"now"();
