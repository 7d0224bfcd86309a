-- What the baseline has beside the tables of version 0.1.0: subscriptions, the numbers of
-- deliveries, and the mark by which each new connection knows that the tables are there.
--
-- The numbers begin so high that their order is the same as texts.
create table :"schema".:"subscriptions"(
  handler text primary key,
  types text[] not null,
  max_attempts integer not null,
  paused boolean not null default false
);
create sequence :"schema".:"delivery_numbers" start 1000000000000000000 cache 100;
create table :"schema".:"meta"(name text primary key, value bigint not null);
