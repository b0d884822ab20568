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
-- The time, for everything that asks for it: where time is simulated, this one function is another. Volatile, so that no plan
-- keeps what it said; inlined, so that it costs nothing. What walks an index asks for it once, before: an index is
-- searched for a value, and never for something that may change under way.
create function :schema.clock()
returns timestamptz language sql volatile parallel safe as $body$ select clock_timestamp() $body$;

create table :schema.payment (
  account text not null,
  id text not null,
  idempotency_key text not null,
  channel text not null,
  till_number text not null,
  tills text[] not null,
  subscriber jsonb not null,
  phone_hash bytea not null,
  currency text not null,
  amount text not null,
  amount_minor text not null,
  metadata jsonb,
  allow_parallel boolean not null,
  in_background boolean not null,
  state text not null default 'created' check (state in
    ('created', 'requested', 'pending', 'unknown', 'succeeded', 'failed', 'needs_review', 'reversed')),
  version integer not null default 1,
  platform_id text,
  transaction jsonb,
  reason text,
  errors jsonb not null default '[]',
  cause text,
  cause_detail text,
  sender text,
  sent_at timestamptz,
  window_swept boolean not null default false,
  denied_at timestamptz,
  decided boolean not null default false,
  empty_successes integer not null default 0,
  checks integer not null default 0,
  send_before timestamptz not null,
  due_at timestamptz,
  claimed_until timestamptz,
  hastened_for text[],
  hastened_at timestamptz,
  look_again boolean not null default false,
  redacted boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, account)
) with (fillfactor = 80);

create unique index payment_idempotency_key on :schema.payment (idempotency_key, account);

create unique index payment_platform_id on :schema.payment (platform_id, account)
  where platform_id is not null;

-- Rivals of a new payment. Whether their tills overlap no index can say: they are compared under a lock on the customer.
create index payment_in_flight on :schema.payment (phone_hash, amount_minor, currency)
  where state in ('created', 'requested', 'pending', 'unknown');

-- That lock protects nobody whose transaction cannot see what was committed since it began (repeatable read): this index
-- does, for as long as its rival is being sent, and PostgreSQL tells that transaction to try again. Two that begin with the
-- same till always overlap, so it refuses nobody else. A change never brings a row into it.
create unique index payment_being_sent on :schema.payment (phone_hash, amount_minor, currency, (tills[1]), account)
  where state in ('created', 'requested') and not allow_parallel;

-- Who may own money: of a phone, and of anybody. In the order in which they were sent.
create index payment_candidate on :schema.payment (phone_hash, amount_minor, currency, sent_at)
  where sent_at is not null and state in ('requested', 'pending', 'unknown', 'needs_review', 'failed');

create index payment_candidate_of_any on :schema.payment (amount_minor, currency, sent_at)
  where sent_at is not null and state in ('requested', 'pending', 'unknown', 'needs_review', 'failed');

-- Those that are matched by what they asked for, since the platform gave them no id: few at any time.
create index payment_unbound on :schema.payment (phone_hash, amount_minor, currency)
  where platform_id is null and state in ('unknown', 'needs_review');

create index payment_due on :schema.payment (account, due_at, id)
  where due_at is not null and state in ('created', 'requested', 'pending', 'unknown');

create index payment_followed on :schema.payment (account, due_at, id)
  where due_at is not null and state in ('needs_review', 'failed');

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

-- Everything under one reference, as one row: who changes one sum has seen the others. What a search needs is taken out of
-- the first sum. A record of several is rare (one reference at two tills that nothing joins), and is looked through.
create table :schema.till_transaction (
  account text not null,
  reference_hash bytea not null,
  reference text not null,
  version integer not null default 1,
  sums jsonb not null,
  several boolean not null,
  untied boolean not null,
  originated_at timestamptz,
  amount_hash bytea,
  payer_hash bytea,
  redacted boolean not null default false,
  created_at timestamptz not null,
  primary key (reference_hash, account)
);

create index till_transaction_untied on :schema.till_transaction (amount_hash, payer_hash, originated_at)
  where untied and not several;

create index till_transaction_several on :schema.till_transaction (created_at)
  where untied and several;

create index till_transaction_age on :schema.till_transaction (redacted, created_at);

create index till_transaction_origin on :schema.till_transaction (coalesce(originated_at, created_at));

-- Requests that the host created without us, for a month.
create table :schema.bare_request (
  account text not null,
  id text not null,
  resource text not null check (resource in ('incoming-payments', 'polling', 'sms-notifications')),
  platform_id text,
  sent_at timestamptz not null,
  money jsonb,
  amount_hash bytea,
  payer_hash bytea,
  created_at timestamptz not null,
  primary key (id, resource, account)
);

create index bare_request_candidate on :schema.bare_request (amount_hash, payer_hash, sent_at)
  where amount_hash is not null;

create index bare_request_candidate_of_any on :schema.bare_request (amount_hash, sent_at)
  where amount_hash is not null;

create index bare_request_age on :schema.bare_request (created_at);
`;
