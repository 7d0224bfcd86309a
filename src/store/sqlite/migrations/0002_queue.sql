-- compatible: adds the tables of the queue, which touch none of the bus.
--
-- One table holds the jobs, whatever they do: on one file there is one writer, and nothing is gained
-- by keeping those apart that run from those that wait. What is claimed often is found by partial
-- indexes, each as small as what it lists.

create table penstock_queues(
  queue text primary key,
  shards integer not null default 1 check(shards between 1 and 64),
  paused integer not null default 0
) strict, without rowid;

-- The lanes that ever had a job, and what was taken from them.
create table penstock_queue_lanes(
  queue text not null,
  priority integer not null,
  shard integer not null,
  claimed integer not null default 0,
  completed integer not null default 0,
  primary key (queue, priority, shard)
) strict, without rowid;

-- 'position': drawn anew whenever a job is appended to a lane. 'claim': one for each claiming call.
create table penstock_queue_counters(
  name text primary key,
  value integer not null
) strict, without rowid;
insert into penstock_queue_counters(name, value) values ('position', 0), ('claim', 0);

create table penstock_jobs(
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
create index penstock_jobs_ready on penstock_jobs(queue, priority, shard, position)
  where state = 'ready';
create index penstock_jobs_deferred on penstock_jobs(queue, run_at, id) where state = 'deferred';
create index penstock_jobs_running on penstock_jobs(worker, claim, ordinal)
  where state = 'running';
create index penstock_jobs_ended on penstock_jobs(state, at, id)
  where state in ('dead', 'completed', 'cancelled');

create table penstock_unique_keys(
  key text primary key,
  id integer not null,            -- the job that holds it
  states integer not null,
  ended_at integer                -- null while the job lives
) strict, without rowid;

create table penstock_queue_workers(
  worker integer primary key autoincrement,
  name text not null,
  beat integer not null default 0,
  dead integer not null default 0,
  started_at integer not null,
  beat_at integer not null
) strict;
