-- The roles of a store, as `penstock sql --roles` prints them.
--
-- Variables: schema, a name for each object, a name for each role, all by the quoting function.
-- Odd: PostgreSQL has no "create role if not exists", and another may make one meanwhile.
begin;

-- Three roles that cannot log in, each with the least that its programs need; give them to the
-- users that do:  grant penstock_worker to the_service;
--
-- penstock_publisher  publishes and enqueues, in transactions of its own or of the program.
-- penstock_worker     subscribes, claims, ends attempts, and purges what outlived its retention. One
--                     that publishes too needs both roles.
-- penstock_admin      what a worker may, and: requeues, buries, cancels, moves, pauses and removes
--                     handlers.
--
-- The prefix of the store's tables stands before these names too. Roles belong to the whole server:
-- stores of one prefix in several schemas share them.
--
-- None may create, alter or drop anything, nor truncate: the functions that empty a segment of the
-- queue run as their owner. `setup` is for the owner of the schema;
-- programs under these roles run with setup_store = false.
--
-- Repeatable; to be run again after an upgrade, by the owner of the schema, who needs the right to
-- create roles the first time.
--
-- Odd: a row lock needs the right to update one column, and a purge locks what it deletes; that is
-- why workers may update events.handlers, keys.used_at and completed.completed_at.
do $roles$
declare
  v_role text;
begin
  foreach v_role in array
    array[:'penstock_publisher', :'penstock_worker', :'penstock_admin']
  loop
    begin
      if not exists (select from pg_catalog.pg_roles r where r.rolname = v_role) then
        execute pg_catalog.format('create role %I nologin', v_role);
      end if;
    exception when duplicate_object or unique_violation then
      null;  -- Another was faster.
    end;
  end loop;
end
$roles$;

grant usage on schema :"schema" to :"penstock_publisher", :"penstock_worker", :"penstock_admin";

-- Everyone: which version the tables have, who is subscribed, who waits.
grant select on :"schema".:"meta", :"schema".:"subscriptions", :"schema".:"workers"
  to :"penstock_publisher", :"penstock_worker", :"penstock_admin";

-- Publisher. No right to read payloads: an id that was published before is found by its columns.
grant select (id, type, key, created_at, handlers), insert, update (handlers) on :"schema".:"events"
  to :"penstock_publisher";
grant insert on :"schema".:"deliveries" to :"penstock_publisher";
grant select, insert, update on :"schema".:"keys" to :"penstock_publisher";
-- Everyone may run functions, unless that was taken away: for the whole database, or below.
grant execute on function
  :"schema".:"check_event", :"schema".:"deliver", :"schema".:"lane_of", :"schema".:"new_event_id",
  :"schema".:"now", :"schema".:"payload_of", :"schema".:"publish", :"schema".:"publish_again",
  :"schema".:"publish_batch", :"schema".:"publish_checked", :"schema".:"publish_many",
  :"schema".:"publish_one", :"schema".:"wake"
  to :"penstock_publisher";

-- Publisher of jobs. No right to read any.
grant insert on :"schema".:"queue_ready", :"schema".:"queue_deferred" to :"penstock_publisher";
grant select, insert on :"schema".:"queue_lanes", :"schema".:"queue_unique_keys"
  to :"penstock_publisher";
grant select on :"schema".:"queue_meta", :"schema".:"queue_generation" to :"penstock_publisher";
grant usage on sequence :"schema".:"queue_position" to :"penstock_publisher";
grant execute on function
  :"schema".:"enqueue", :"schema".:"enqueue_many", :"schema".:"queue_append",
  :"schema".:"queue_check_job", :"schema".:"queue_enqueue", :"schema".:"queue_lane_birth",
  :"schema".:"queue_lane_lock", :"schema".:"queue_lock_lanes", :"schema".:"queue_open_lane",
  :"schema".:"queue_pick_shard", :"schema".:"queue_reserve", :"schema".:"queue_route",
  :"schema".:"queue_shard_of", :"schema".:"queue_states", :"schema".:"queue_take_keys"
  to :"penstock_publisher";

-- Worker.
grant select, update, delete on :"schema".:"deliveries" to :"penstock_worker";
grant select, update on :"schema".:"lanes" to :"penstock_worker";
grant select, update (handlers), delete on :"schema".:"events" to :"penstock_worker";
grant select, update (used_at), delete on :"schema".:"keys" to :"penstock_worker";
grant select, insert, update (completed_at), delete on :"schema".:"completed"
  to :"penstock_worker";
grant insert, update (types, max_attempts) on :"schema".:"subscriptions" to :"penstock_worker";
grant insert, update, delete on :"schema".:"workers" to :"penstock_worker";
grant update (value) on :"schema".:"meta" to :"penstock_worker";
grant execute on function
  :"schema".:"bury", :"schema".:"claim", :"schema".:"complete", :"schema".:"due_after",
  :"schema".:"extend", :"schema".:"find_suspect", :"schema".:"follow", :"schema".:"held",
  :"schema".:"inherit", :"schema".:"lane_of", :"schema".:"let_go", :"schema".:"lock_for_completion", :"schema".:"look",
  :"schema".:"next_due", :"schema".:"now", :"schema".:"pick", :"schema".:"pick_batch",
  :"schema".:"pick_heads", :"schema".:"record_claim", :"schema".:"release",
  :"schema".:"relinquish", :"schema".:"reschedule", :"schema".:"set_back", :"schema".:"take_over",
  :"schema".:"wake"
  to :"penstock_worker";

-- Worker of the queue. What truncates or moves the ring is the owner's, behind functions that check.
grant select, insert on :"schema".:"queue_ready", :"schema".:"queue_finished",
  :"schema".:"queue_tombstones", :"schema".:"queue_lanes", :"schema".:"queue_claims",
  :"schema".:"leaders"
  to :"penstock_worker";
grant update (queue) on :"schema".:"queue_lanes" to :"penstock_worker";
grant update (n) on :"schema".:"queue_claims" to :"penstock_worker";
grant update (holder, expires_at) on :"schema".:"leaders" to :"penstock_worker";
grant select, insert, update, delete on :"schema".:"queue_running", :"schema".:"queue_deferred",
  :"schema".:"queue_dead", :"schema".:"queue_unique_keys", :"schema".:"queue_history",
  :"schema".:"queue_workers", :"schema".:"queue_progress"
  to :"penstock_worker";
grant select on :"schema".:"queue_meta", :"schema".:"queue_generation", :"schema".:"queue_totals",
  :"schema".:"queue_members", :"schema".:"queue_claim_heads", :"schema".:"queue_enqueue_heads"
  to :"penstock_worker";
grant usage, select on sequence :"schema".:"queue_position", :"schema".:"queue_claim_base"
  to :"penstock_worker";
revoke execute on function :"schema".:"queue_rotate", :"schema".:"queue_prune",
  :"schema".:"queue_rehome", :"schema".:"queue_guard" from public;
grant execute on function
  :"schema".:"lead", :"schema".:"queue_beat", :"schema".:"queue_bodies", :"schema".:"queue_claim",
  :"schema".:"queue_claim_lane", :"schema".:"queue_complete", :"schema".:"queue_counts",
  :"schema".:"queue_cursor", :"schema".:"queue_disperse", :"schema".:"queue_due",
  :"schema".:"queue_find", :"schema".:"queue_finish", :"schema".:"queue_forget_workers",
  :"schema".:"queue_guard", :"schema".:"queue_lane_birth", :"schema".:"queue_lane_lock",
  :"schema".:"queue_list", :"schema".:"queue_lock_lanes", :"schema".:"queue_lost",
  :"schema".:"queue_mark_dead", :"schema".:"queue_open_lane", :"schema".:"queue_promote",
  :"schema".:"queue_prune", :"schema".:"queue_purge_dead", :"schema".:"queue_purge_progress",
  :"schema".:"queue_register", :"schema".:"queue_rehome", :"schema".:"queue_require_autocommit",
  :"schema".:"queue_rescue", :"schema".:"queue_rescue_stranded", :"schema".:"queue_rotate",
  :"schema".:"queue_save_progress", :"schema".:"queue_settle", :"schema".:"queue_shard_of",
  :"schema".:"queue_show", :"schema".:"queue_slot_load", :"schema".:"queue_slot_waits",
  :"schema".:"queue_state_after"
  to :"penstock_worker";

-- Admin.
grant :"penstock_worker" to :"penstock_admin";
grant update (paused), delete on :"schema".:"subscriptions" to :"penstock_admin";
revoke execute on function :"schema".:"bury_selected", :"schema".:"requeue" from public;
grant execute on function :"schema".:"bury_selected", :"schema".:"requeue" to :"penstock_admin";
grant insert, update (enqueue_shards, paused), delete on :"schema".:"queue_meta"
  to :"penstock_admin";
revoke execute on function
  :"schema".:"queue_cancel", :"schema".:"queue_move", :"schema".:"queue_purge_dead",
  :"schema".:"queue_requeue", :"schema".:"queue_take_out"
  from public;
grant execute on function
  :"schema".:"queue_cancel", :"schema".:"queue_move", :"schema".:"queue_purge_dead",
  :"schema".:"queue_requeue", :"schema".:"queue_take_out"
  to :"penstock_admin";

commit;
