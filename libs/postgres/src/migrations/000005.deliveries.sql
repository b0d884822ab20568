-- Deliveries are kept in one table and wait in another. A row leaves the queue when its delivery is processed, so the
-- table that claims read stays small. A claim changes no indexed column (due_at stays as it is), so its update is a
-- HOT update: it writes no index entry. The low fill factor keeps space in each page for such updates.

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

-- Of all accounts, for the totals. Rows are stored in this order, so the times of each few pages are enough.
create index delivery_age on :schema.delivery using brin (received_at) with (pages_per_range = 32, autosummarize = on);

-- What operators list and retention deletes: an account with few deliveries does not read those of all others.
create index delivery_of_account on :schema.delivery (account, received_at);

-- With the account: there are few of them, and operators ask for those of one account.
create index delivery_unrecognised on :schema.delivery (account, received_at) where outcome = 'unrecognised';

-- The callbacks of an operation, for operators. Ids grow with time: new entries touch only the last page of the index.
create index delivery_resource on :schema.delivery (resource_id) where resource_id is not null;

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

-- Without the account; see operation_due.
create index delivery_queue_due on :schema.delivery_queue (kind, due_at, place);
