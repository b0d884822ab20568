/**
 * Payments, their timeline, and the money that the platform says moved.
 *
 * Amounts in minor units are text: they are compared for equality only, and the platform may write more digits than any
 * number type holds. What the platform writes has no length we could rely on, so indexes are on hashes of it: a B-tree
 * entry larger than a third of a page is an error, and that error would come back with every delivery of the same news.
 *
 * Nearly every row is of one account, so an index by account finds nothing; but a plan that was made while a table was
 * empty cannot know that, and is kept. So the account is in no index where it is not needed for order or uniqueness, and
 * stands last where it is needed for uniqueness only.
 */
export const PAYMENTS = `
create table :schema.payment (
  account text not null,
  id text not null,
  idempotency_key text not null,
  fingerprint text not null,
  channel text not null,
  till_number text not null,
  till_key text not null,
  subscriber jsonb not null,
  phone_hash bytea not null,
  currency text not null,
  amount text not null,
  amount_minor text not null,
  metadata jsonb,
  allow_parallel boolean not null,
  state text not null default 'created' check (state in
    ('created', 'requested', 'pending', 'unknown', 'succeeded', 'failed', 'needs_review', 'reversed')),
  version integer not null default 1,
  platform_id text,
  transaction jsonb,
  reason text,
  errors jsonb not null default '[]',
  cause text,
  cause_detail text,
  sent_at timestamptz,
  empty_successes integer not null default 0,
  checks integer not null default 0,
  send_before timestamptz not null,
  due_at timestamptz,
  claimed_until timestamptz,
  redacted boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, account)
) with (fillfactor = 80);

create unique index payment_idempotency_key on :schema.payment (idempotency_key, account);

create unique index payment_platform_id on :schema.payment (platform_id, account)
  where platform_id is not null;

create unique index payment_in_flight on :schema.payment (phone_hash, amount_minor, till_key, currency, account)
  where state in ('created', 'requested', 'pending', 'unknown') and not allow_parallel;

create index payment_in_flight_parallel on :schema.payment (phone_hash, amount_minor, till_key, currency, account)
  where state in ('created', 'requested', 'pending', 'unknown') and allow_parallel;

create index payment_open on :schema.payment (till_key, amount_minor, currency, account, created_at, id)
  where state in ('requested', 'pending', 'unknown');

create index payment_due on :schema.payment (account, due_at, id)
  where due_at is not null;

create index payment_finished on :schema.payment (redacted, updated_at)
  where state in ('succeeded', 'failed', 'reversed');

-- For people who look, not for money: newest first, those that need a look, and one customer's.
create index payment_created on :schema.payment (created_at);

create index payment_watched on :schema.payment (created_at)
  where state not in ('succeeded', 'failed');

create index payment_phone on :schema.payment (phone_hash) where not redacted;

create index payment_reference on :schema.payment (hashtextextended(transaction->>'reference', 0))
  where transaction is not null;

create table :schema.payment_history (
  account text not null,
  payment_id text not null,
  id bigint generated always as identity,
  at timestamptz not null,
  via text not null,
  what text not null,
  detail text not null,
  primary key (payment_id, account, id)
);

create table :schema.till_transaction (
  account text not null,
  money_hash bytea not null,
  reference text not null,
  till_key text not null,
  version integer not null default 1,
  received jsonb,
  reversal jsonb,
  webhook_event_ids jsonb not null,
  payment_id text,
  announced boolean not null,
  originated_at timestamptz,
  currency text,
  amount_minor text,
  amount_hash bytea,
  redacted boolean not null default false,
  created_at timestamptz not null,
  primary key (money_hash, account)
);

create index till_transaction_untied on :schema.till_transaction (amount_hash, originated_at)
  where payment_id is null and received is not null;

create index till_transaction_age on :schema.till_transaction (redacted, created_at);

create index till_transaction_origin on :schema.till_transaction (coalesce(originated_at, created_at));

create index till_transaction_reference on :schema.till_transaction (hashtextextended(reference, 0));
`;
