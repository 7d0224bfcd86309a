-- compatible: makes the tables of the bus in a file that has none.
--
-- Everything is prefixed, because the file belongs to the user's program. Times are microseconds
-- since 1970, UTC. There are no foreign keys: publish inserts both sides in one transaction, and
-- retention sweeps events without deliveries.

create table penstock_meta(
  name text primary key,          -- 'schema_version', 'takeovers'
  value integer not null
) strict, without rowid;
insert into penstock_meta(name, value) values ('takeovers', 0);

create table penstock_events(
  number integer primary key,
  id blob not null check(length(id) = 16),
  type text not null,
  key text,
  content_type text not null,
  headers text not null,          -- JSON object, string to string
  handlers text not null,         -- JSON array: every handler that ever had a delivery of it
  created_at integer not null,
  payload blob not null           -- last, so that the rest is read without its overflow pages
) strict;
create unique index penstock_events_by_id on penstock_events(id);
create index penstock_events_by_age on penstock_events(created_at);

create table penstock_deliveries(
  id integer primary key autoincrement,  -- never used twice: a token names it
  event integer not null,         -- penstock_events.number
  handler text not null,
  key text,
  sequence integer,
  lane integer not null,
  status text not null default 'pending' check(status in ('pending', 'dead')),
  head integer not null,          -- 1: no earlier pending delivery of this handler and key
  attempts integer not null default 0,
  claims integer not null default 0,     -- +1 whenever a claim of it ends
  suspect integer not null default 0,
  available_at integer not null,
  created_at integer not null,
  updated_at integer not null,
  last_error text not null default ''
) strict;
create unique index penstock_deliveries_by_event on penstock_deliveries(event, handler);
create index penstock_deliveries_to_claim
  on penstock_deliveries(handler, suspect, lane, available_at, id)
  where status = 'pending' and head = 1;
create index penstock_deliveries_by_key
  on penstock_deliveries(key, handler, status, sequence) where key is not null;
create index penstock_deliveries_dead
  on penstock_deliveries(updated_at, id) where status = 'dead';

create table penstock_lanes(
  lane integer primary key check(lane between 0 and 255),
  epoch integer not null default 0,      -- +1 whenever the lease changes hands
  lease_owner text,
  lease_expires_at integer
) strict;
insert into penstock_lanes(lane)
  with recursive number(n) as (select 0 union all select n + 1 from number where n < 255)
  select n from number;

create table penstock_in_flight(
  lane integer not null,
  delivery integer not null,
  handler text not null,
  key text,
  primary key(lane, delivery)
) strict, without rowid;
create index penstock_in_flight_by_key on penstock_in_flight(key, handler) where key is not null;

create table penstock_keys(
  key text primary key,
  sequence integer not null,
  used_at integer not null
) strict, without rowid;
create index penstock_keys_by_age on penstock_keys(used_at);

create table penstock_subscriptions(
  handler text primary key,
  types text not null,            -- JSON array of patterns
  max_attempts integer not null,
  paused integer not null default 0
) strict, without rowid;

create table penstock_completed(
  id integer primary key,         -- that of the delivery
  event_id blob not null,
  handler text not null,
  type text not null,
  key text,
  sequence integer,
  lane integer not null,
  attempts integer not null,
  suspect integer not null,
  available_at integer not null,
  created_at integer not null,
  completed_at integer not null,
  last_error text not null
) strict;
create index penstock_completed_by_age on penstock_completed(completed_at);
create index penstock_completed_by_event on penstock_completed(event_id);
