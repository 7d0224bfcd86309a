-- Three roles that cannot log in, each with the least that its programs need; give them to the
-- users that do:  grant penstock_worker to the_service;
--
-- penstock_publisher  publishes, in transactions of its own or of the program.
-- penstock_worker     subscribes, claims, ends attempts, and purges what outlived its retention. One
--                     that publishes too needs both roles.
-- penstock_admin      what a worker may, and: requeues, buries, pauses and removes handlers.
--
-- None may create, alter or drop anything, nor truncate. `setup` is for the owner of the schema;
-- programs under these roles run with setup_store = false.
--
-- Variables (psql): schema, a name for each object, a name for each role. Repeatable; to be run
-- again after an upgrade, by the owner of the schema, who needs the right to create roles the first
-- time. psql is needed for \gexec: PostgreSQL has no "create role if not exists".
-- Odd: a row lock needs the right to update one column, and a purge locks what it deletes; that is
-- why workers may update events.handlers, keys.used_at and completed.completed_at.

select format('create role %I nologin', wanted.role)
from (values (:'penstock_publisher'), (:'penstock_worker'), (:'penstock_admin')) wanted(role)
where not exists (select from pg_roles existing where existing.rolname = wanted.role)
\gexec

grant usage on schema :"schema" to :"penstock_publisher", :"penstock_worker", :"penstock_admin";

-- Everyone: which version the tables have, who is subscribed, who waits.
grant select on :"schema".:"meta", :"schema".:"subscriptions", :"schema".:"workers"
  to :"penstock_publisher", :"penstock_worker", :"penstock_admin";

-- Publisher. No right to read payloads: an id that was published before is found by its columns.
grant select (id, type, key, created_at, handlers), insert, update (handlers) on :"schema".:"events"
  to :"penstock_publisher";
grant insert on :"schema".:"deliveries" to :"penstock_publisher";
grant select, insert, update on :"schema".:"keys" to :"penstock_publisher";

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

-- Admin.
grant :"penstock_worker" to :"penstock_admin";
grant update (paused), delete on :"schema".:"subscriptions" to :"penstock_admin";
