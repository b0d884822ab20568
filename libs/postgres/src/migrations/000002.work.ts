/**
 * Deliveries and events, and the work that waits on them.
 *
 * What is kept and what waits are different tables. A row that waits is removed when it is done, so that the tables
 * which claims read stay small however much was ever finished. A claim writes no indexed column (\`due_at\` stays): the
 * update stays in its page and touches no index.
 */
export const WORK = `
create table :schema.delivery (
  account text not null,
  id text not null,
  key bytea not null,
  kind text not null check (kind in ('webhook', 'callback')),
  resource text,
  resource_id text,
  verified_by text not null check (verified_by in ('signature', 'url')),
  body bytea not null,
  received_at timestamptz not null,
  redeliveries integer not null default 0,
  outcome text not null default 'done' check (outcome in ('done', 'unrecognised')),
  attempts integer not null default 1,
  last_error text,
  primary key (id, account)
);

create unique index delivery_key on :schema.delivery (key, account);

create index delivery_age on :schema.delivery (received_at);

create index delivery_unrecognised on :schema.delivery (received_at) where outcome = 'unrecognised';

create table :schema.delivery_queue (
  place bigint generated always as identity primary key,
  account text not null,
  id text not null,
  kind text not null,
  due_at timestamptz not null,
  claimed_until timestamptz,
  token text,
  attempts integer not null default 0,
  last_error text
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000);

create unique index delivery_queue_delivery on :schema.delivery_queue (id, account);

create index delivery_queue_due on :schema.delivery_queue (account, kind, due_at, place);

create table :schema.event (
  account text not null,
  id text not null,
  name text not null,
  stream text not null,
  via text not null,
  place bigint generated always as identity,
  payload jsonb,
  redacted boolean not null default false,
  created_at timestamptz not null,
  primary key (id, account)
);

create index event_age on :schema.event (redacted, created_at);

create index event_stream on :schema.event (hashtextextended(stream, 0));

create table :schema.listener (
  account text not null,
  event text not null,
  listener text not null,
  primary key (event, account, listener)
);

create table :schema.call (
  id bigint generated always as identity primary key,
  account text not null,
  listener text not null,
  event_id text not null,
  stream_key bigint not null,
  state text not null default 'pending' check (state in ('pending', 'dead')),
  due_at timestamptz not null,
  claimed_until timestamptz,
  token text,
  attempts integer not null default 0,
  last_error text,
  died_at timestamptz
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000);

create unique index call_event on :schema.call (event_id, listener, account);

create index call_due on :schema.call (account, listener, due_at, id) where state = 'pending';

create index call_line on :schema.call (stream_key, listener, account, id) where state = 'pending';

create index call_dead on :schema.call (account, died_at, id) where state = 'dead';

-- Who heard what: a call that is done leaves the queue and stays here for whoever asks later. By the place of the event,
-- which only grows: rows that are done together lie together, and a new one touches the last page of the index.
create table :schema.told (
  event_place bigint not null,
  listener text not null,
  attempts integer not null,
  at timestamptz not null
);

create index told_event on :schema.told (event_place);

create table :schema.sweep (
  started_at timestamptz not null default :schema.clock(),
  account text primary key,
  sweep_from timestamptz,
  watermark timestamptz,
  recovered_at timestamptz,
  owner text,
  claimed_until timestamptz
);

create table :schema.token (
  account text primary key,
  sealed bytea,
  expires_at timestamptz,
  owner text,
  claimed_until timestamptz
);

create table :schema.sighting (
  account text not null,
  what text not null,
  example text not null,
  count bigint not null default 1,
  last_at timestamptz not null,
  primary key (account, what)
);
`;
