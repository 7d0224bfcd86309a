-- The tables of version 0.1.0, verbatim but for layout, for the tests of the upgrade.
-- Source:  rebuilt from the published description of that version; nothing of its code is in here.
-- Licence: that of this repository.
create table relaybus_events (
  id          text primary key,
  type        text not null,
  key         text,
  payload     jsonb not null,
  headers     jsonb not null default '{}',
  created_at  timestamptz not null default now()
);
create table relaybus_keys (            -- counter of an ordering key, locked from publish to commit
  key         text primary key,
  sequence    bigint not null
);
create table relaybus_deliveries (
  id               text primary key,
  event_id         text not null references relaybus_events (id) on delete cascade,
  handler          text not null,
  key              text,
  sequence         bigint,
  status           text not null default 'pending',   -- pending, processing, completed, dead
  attempts         integer not null default 0,
  available_at     timestamptz not null default now(), -- while processing: when the lease ends
  lease_owner      text,
  lease_token      text,
  lease_expires_at timestamptz,
  last_error       text,
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now(),
  completed_at     timestamptz
);
create unique index relaybus_deliveries_event_handler_unique on relaybus_deliveries (event_id, handler);
create index relaybus_deliveries_due_idx             on relaybus_deliveries (available_at, id) where status in ('pending', 'processing');
create index relaybus_deliveries_due_unkeyed_idx     on relaybus_deliveries (available_at, id) where key is null and status in ('pending', 'processing');
create index relaybus_deliveries_key_idx             on relaybus_deliveries (handler, key, sequence) where key is not null and status in ('pending', 'processing');
create index relaybus_deliveries_due_keyed_idx       on relaybus_deliveries (key, available_at) where key is not null and status = 'pending';
create index relaybus_deliveries_status_created_idx  on relaybus_deliveries (status, created_at);
create index relaybus_deliveries_handler_created_idx on relaybus_deliveries (handler, created_at);
create index relaybus_deliveries_completed_idx       on relaybus_deliveries (completed_at) where status = 'completed';
create index relaybus_deliveries_dead_idx            on relaybus_deliveries (updated_at) where status = 'dead';
