-- Deliveries. Those that are not processed wait in the queue.

create table :schema.delivery (
  account text not null,
  id text not null,
  key bytea not null,
  kind text not null check (kind in ('webhook', 'callback')),
  resource text,
  resource_id text,
  verified_by text not null check (verified_by in ('signature', 'url')),
  body bytea not null,
  -- The span in which it was received (W3C traceparent).
  traceparent text,
  received_at timestamptz not null,
  duplicates integer not null default 0,
  outcome text not null default 'done' check (outcome in ('done', 'unrecognised')),
  attempts integer not null default 1,
  last_error text,
  primary key (id, account)
);

create unique index delivery_key on :schema.delivery (key, account);

-- Operators list by it, and retention deletes by it: an account with few deliveries does not read those of all others.
create index delivery_of_account on :schema.delivery (account, received_at);

-- With the account: there are few of them, and operators ask for those of one account.
create index delivery_unrecognised on :schema.delivery (account, received_at) where outcome = 'unrecognised';

-- The callbacks of an operation, for operators. Ids grow with time: new entries touch only the last page of the index.
create index delivery_resource on :schema.delivery (resource_id) where resource_id is not null;
