-- Events, and the listeners of each event name. Calls of listeners wait in the queue. One that succeeds at its first attempt, within a minute
-- of its beginning, has no row any more.

create table :schema.event (
  account text not null,
  id text not null,
  name text not null,
  stream text not null,
  via text not null,
  place bigint generated always as identity,
  payload jsonb,
  redacted boolean not null default false,
  -- The listeners that it has calls of. Those without a row in the queue have succeeded.
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
  -- The start of the process that registered it last.
  start text not null,
  primary key (event, account, listener)
);
