-- Events, the listeners of each event name, and the listener calls. Calls stand in their own table, which stays small (see deliveries): one
-- that succeeds at its first attempt, within a minute of its beginning, has no row any more.

create table :schema.event (
  account text not null,
  id text not null,
  name text not null,
  stream text not null,
  via text not null,
  place bigint generated always as identity,
  payload jsonb,
  redacted boolean not null default false,
  -- The listeners that it has calls of. Those without a row in call have succeeded.
  called text[] not null default '{}',
  -- Money that it reports, where nothing else keeps it.
  amount text,
  -- The span in which it was committed (W3C traceparent).
  traceparent text,
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
  state text not null default 'pending' check (state in ('pending', 'done', 'dead')),
  due_at timestamptz not null,
  claimed_until timestamptz,
  token text,
  attempts integer not null default 0,
  last_error text,
  ended_at timestamptz
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000);

create index call_due on :schema.call (account, listener, due_at, id) where state = 'pending';

-- Finds the first pending call of a stream for a listener, and the calls of an event.
create index call_line on :schema.call (stream_key, listener, account, id);

create index call_dead on :schema.call (account, ended_at, id) where state = 'dead';
