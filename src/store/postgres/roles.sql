-- The roles of a store, as `penstock sql --roles` prints them.
--
-- Variables: schema, a name for each object, a name for each role, all by the quoting function.
-- Odd: PostgreSQL has no "create role if not exists", and another may make one meanwhile.
begin;

-- Three roles that cannot log in, each with the least that its programs need; give them to the
-- users that do:  grant penstock_worker to the_service;
--
-- penstock_publisher  publishes, in transactions of its own or of the program.
-- penstock_worker     subscribes, claims, ends attempts, and purges what outlived its retention. One
--                     that publishes too needs both roles.
-- penstock_admin      what a worker may, and: requeues, buries, pauses and removes handlers.
--
-- The prefix of the store's tables stands before these names too. Roles belong to the whole server:
-- stores of one prefix in several schemas share them.
--
-- None may create, alter or drop anything, nor truncate. `setup` is for the owner of the schema;
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
  :"schema".:"wake"
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

-- Admin.
grant :"penstock_worker" to :"penstock_admin";
grant update (paused), delete on :"schema".:"subscriptions" to :"penstock_admin";
revoke execute on function :"schema".:"bury_selected", :"schema".:"requeue" from public;
grant execute on function :"schema".:"bury_selected", :"schema".:"requeue" to :"penstock_admin";

commit;
