-- Purpose:    removes the tables of a store; its functions are gone before.
-- Parameters: none.
-- Columns:    none.
-- Locks:      every table of the store, until the end of the transaction.
-- Index:      none.
drop view if exists :"schema".:"queue_enqueue_heads", :"schema".:"queue_claim_heads",
  :"schema".:"queue_members";
drop table if exists :"schema".:"queue_ready", :"schema".:"queue_claims", :"schema".:"queue_finished",
  :"schema".:"queue_tombstones", :"schema".:"queue_running", :"schema".:"queue_progress",
  :"schema".:"queue_deferred",
  :"schema".:"queue_dead", :"schema".:"queue_unique_keys", :"schema".:"queue_history",
  :"schema".:"queue_totals", :"schema".:"queue_workers", :"schema".:"queue_lanes",
  :"schema".:"queue_meta", :"schema".:"leaders";
drop type if exists :"schema".:"queue_held", :"schema".:"queue_ended", :"schema".:"queue_body";
drop sequence if exists :"schema".:"queue_position", :"schema".:"queue_claim_base",
  :"schema".:"queue_generation";
drop table if exists :"schema".:"events", :"schema".:"deliveries", :"schema".:"lanes",
  :"schema".:"keys", :"schema".:"subscriptions", :"schema".:"workers", :"schema".:"completed",
  :"schema".:"meta";
drop type if exists :"schema".:"lane_look";
drop function if exists :"schema".:"now"();
