-- The result of all migrations. Compared by a test; written by nobody.

CREATE TABLE penstock_completed(
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

CREATE INDEX penstock_completed_by_age on penstock_completed(completed_at);

CREATE INDEX penstock_completed_by_event on penstock_completed(event_id);

CREATE TABLE penstock_deliveries(
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

CREATE UNIQUE INDEX penstock_deliveries_by_event on penstock_deliveries(event, handler);

CREATE INDEX penstock_deliveries_by_key
  on penstock_deliveries(key, handler, status, sequence) where key is not null;

CREATE INDEX penstock_deliveries_dead
  on penstock_deliveries(updated_at, id) where status = 'dead';

CREATE INDEX penstock_deliveries_to_claim
  on penstock_deliveries(handler, suspect, lane, available_at, id)
  where status = 'pending' and head = 1;

CREATE TABLE penstock_events(
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

CREATE INDEX penstock_events_by_age on penstock_events(created_at);

CREATE UNIQUE INDEX penstock_events_by_id on penstock_events(id);

CREATE TABLE penstock_in_flight(
  lane integer not null,
  delivery integer not null,
  handler text not null,
  key text,
  primary key(lane, delivery)
) strict, without rowid;

CREATE INDEX penstock_in_flight_by_key on penstock_in_flight(key, handler) where key is not null;

CREATE TABLE penstock_jobs(
  id integer primary key autoincrement,  -- never used twice, and never changed
  state text not null check(state in ('deferred', 'ready', 'running', 'dead', 'completed',
                                      'cancelled')),
  queue text not null,
  kind text not null,
  priority integer not null,
  shard integer,                  -- of what is deferred: where it must return to, or null
  position integer,               -- in the lane; ready only
  key text,
  unique_key text,
  unique_states integer not null,
  attempts integer not null default 0,
  max_attempts integer not null,
  suspect integer not null default 0,
  run_at integer not null,
  created_at integer not null,
  at integer not null,            -- when the state began
  deadline integer,
  worker integer,                 -- running: whose, and the claim and its place in it
  claim integer,
  ordinal integer,
  content_type text not null,
  headers text not null,          -- JSON object, string to string
  progress text not null default '',
  errors text not null default '[]',     -- JSON: [[attempt, at, text], …], the last 20
  payload blob not null           -- last, so that the rest is read without its overflow pages
) strict;

CREATE INDEX penstock_jobs_deferred on penstock_jobs(queue, run_at, id) where state = 'deferred';

CREATE INDEX penstock_jobs_ended on penstock_jobs(state, at, id)
  where state in ('dead', 'completed', 'cancelled');

CREATE INDEX penstock_jobs_ready on penstock_jobs(queue, priority, shard, position)
  where state = 'ready';

CREATE INDEX penstock_jobs_running on penstock_jobs(worker, claim, ordinal)
  where state = 'running';

CREATE TABLE penstock_keys(
  key text primary key,
  sequence integer not null,
  used_at integer not null
) strict, without rowid;

CREATE INDEX penstock_keys_by_age on penstock_keys(used_at);

CREATE TABLE penstock_lanes(
  lane integer primary key check(lane between 0 and 255),
  epoch integer not null default 0,      -- +1 whenever the lease changes hands
  lease_owner text,
  lease_expires_at integer
) strict;

CREATE TABLE penstock_meta(
  name text primary key,          -- 'schema_version', 'takeovers'
  value integer not null
) strict, without rowid;

CREATE TABLE penstock_queue_counters(
  name text primary key,
  value integer not null
) strict, without rowid;

CREATE TABLE penstock_queue_lanes(
  queue text not null,
  priority integer not null,
  shard integer not null,
  claimed integer not null default 0,
  completed integer not null default 0,
  primary key (queue, priority, shard)
) strict, without rowid;

CREATE TABLE penstock_queue_workers(
  worker integer primary key autoincrement,
  name text not null,
  beat integer not null default 0,
  dead integer not null default 0,
  started_at integer not null,
  beat_at integer not null
) strict;

CREATE TABLE penstock_queues(
  queue text primary key,
  shards integer not null default 1 check(shards between 1 and 64),
  paused integer not null default 0
) strict, without rowid;

CREATE TABLE penstock_subscriptions(
  handler text primary key,
  types text not null,            -- JSON array of patterns
  max_attempts integer not null,
  paused integer not null default 0
) strict, without rowid;

CREATE TABLE penstock_unique_keys(
  key text primary key,
  id integer not null,            -- the job that holds it
  states integer not null,
  ended_at integer                -- null while the job lives
) strict, without rowid;
