-- What the baseline has beside the tables of version 0.1.0: subscriptions, and the mark by which each
-- new connection knows that the tables are there.
create table :"schema".:"subscriptions"(
  handler text primary key,
  types text[] not null,
  max_attempts integer not null,
  paused boolean not null default false
);
create table :"schema".:"meta"(name text primary key, value bigint not null);
