-- Operations with their history. What only one kind of operations has stands in request and, if it is personal data, in
-- personal; retention sets personal to null.
--
-- amount_minor (the amount in minor units) is text: it is only compared for equality, and the platform may write more
-- digits than a number type holds.
--
-- Nearly all rows belong to one account, so the account alone selects almost nothing. But PostgreSQL may keep a plan
-- that it made while the table was empty, and on an empty table every index looks equally good. So an index contains
-- the account only if it needs it for order or for uniqueness, and for uniqueness the account is the last column.
--
-- An operation changes a few times within seconds. No index has a column that these changes set (state, platform_id, sent_at,
-- transaction, updated_at), also not in its condition, so each of them is a HOT update: it writes no index entry. What
-- needs an index and changes stands in tables of its own: operation_queue and platform_name.

create table :schema.operation (
  account text not null,
  id text not null,
  kind text not null,
  idempotency_key text not null,
  tills text[] not null,
  request jsonb not null,
  personal jsonb,
  -- The person who may pay it. Null if it expects no money at a till, or if anybody may pay.
  phone_hash bytea,
  any_payer boolean not null,
  currency text not null,
  amount text not null,
  amount_minor text not null,
  -- The operations in its way that it passes, as its request named them.
  besides text[],
  -- The keys of its guard, until it is redacted: a person can be computed from some. Then those of lasting_keys: of a refund and of an order.
  guard_keys bytea[],
  lasting_keys bytea[],
  -- Minor units that each destination gets, by its key in hex.
  counted jsonb,
  in_background boolean not null,
  state text not null default 'created' check (state in
    ('created', 'requested', 'pending', 'unknown', 'succeeded', 'partially_succeeded', 'failed', 'needs_review', 'reversed')),
  version integer not null default 1,
  platform_id text,
  transaction jsonb,
  outcome jsonb,
  approved_by text,
  approved_at timestamptz,
  -- The source of the evidence that settled it.
  settled_via text,
  reason text,
  errors jsonb not null default '[]',
  cause text,
  cause_detail text,
  sender text,
  sent_at timestamptz,
  denied_at timestamptz,
  decided boolean not null default false,
  evidence jsonb not null default '[]',
  empty_successes integer not null default 0,
  -- About sent_at, for indexes: the time of its recording, unless it was sent at another time (sent_about).
  sent_about timestamptz not null,
  -- The money that it expected at a till, if it failed after it was sent (expected_money).
  failed_money text,
  checks integer not null default 0,
  send_before timestamptz not null,
  redacted boolean not null default false,
  -- The span in which it was requested (W3C traceparent).
  traceparent text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The changes in their order: epoch milliseconds, source, kind of change, and a detail. A table of its own cost a row and an entry of an index for
  -- each change, and the row of the operation changes anyway.
  history jsonb not null default '[]',
  primary key (id, account)
) with (fillfactor = 35);

create unique index operation_idempotency_key on :schema.operation (idempotency_key, kind, account);

-- Operations that may own a transaction: those of its payer, which searches by a phone use too, and those that failed. Of the others that the
-- transaction does not name, see operation_queue_money: of all that succeeded there may be thousands in any quarter of an hour.
create index operation_payer on :schema.operation (phone_hash, amount_minor, currency, sent_about)
  where phone_hash is not null;

create index operation_failed on :schema.operation (failed_money, sent_about) where failed_money is not null;

-- Retention redacts these.
create index operation_personal on :schema.operation (account, created_at) where not redacted;

-- Lists for operators: newest first, those that may need attention, and those of one customer.
create index operation_created on :schema.operation (account, created_at, id);

-- Searches of operators, without upper and lower case. Beginnings of texts, because an index entry has a limit. These indexes have no
-- condition: the planner does not use what it knows of the values of an expression whose index has one.
create index operation_first_name on :schema.operation (lower(left(personal->'subscriber'->>'firstName', 40)) text_pattern_ops);

create index operation_last_name on :schema.operation (lower(left(personal->'subscriber'->>'lastName', 40)) text_pattern_ops);

create index operation_key on :schema.operation (lower(left(idempotency_key, 60)) text_pattern_ops);

create index operation_amount on :schema.operation ((amount::numeric), created_at);

-- The refunds of a transaction.
create index operation_refund_of on :schema.operation (hashtextextended(request->>'reference', 0)) where kind = 'refund';

-- All kinds but payments, which are most of the rows: lists of one kind, and the sum of a day.
create index operation_of_kind on :schema.operation (kind, created_at) where kind <> 'payment';

-- Operations that were approved: they count for the day of their approval.
create index operation_approved on :schema.operation (kind, approved_at) where approved_at is not null;

-- Operations that passed another one in their way: a person asks how many did so lately.
create index operation_passed on :schema.operation (created_at) where besides is not null;

-- Operations that are not over, those that failed or are in review for as long as they are followed, and those with a rare end,
-- which only lists need. Whoever writes a row holds that of the operation, except a claim, which waits for nothing.
create table :schema.operation_queue (
  account text not null,
  id text not null,
  -- True: it failed or is in review. False: it has not settled.
  followed boolean not null,
  -- Infinity: never.
  due_at timestamptz not null,
  claimed_until timestamptz,
  due_causes text[],
  made_due_at timestamptz,
  due_once_more boolean not null default false,
  -- Unsent: it counts for the limit of a day, and is no payment.
  listed_as text check (listed_as in ('in_review', 'rare', 'unsent')),
  -- The money that it expects at a till (expected_money), and about when it was sent; null: nothing, or it failed.
  money text,
  sent_about timestamptz not null,
  -- True for a payment that was sent and whose id nobody knows. There are few at any time: sweeps match them.
  unmatched boolean not null default false,
  primary key (id, account)
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000);

-- A claim takes what has been due longest of all accounts of an application. If the account came first in the index, the
-- claim would have to sort the due rows of all of them.
create index operation_queue_due on :schema.operation_queue (followed, due_at, id);

create index operation_queue_listed on :schema.operation_queue (listed_as, account) where listed_as is not null;

create index operation_queue_unmatched on :schema.operation_queue (account, sent_about) where unmatched;

create index operation_queue_money on :schema.operation_queue (money, sent_about) where money is not null;

-- The keys that operations guard (see OperationGuard): one row for each, with the operations that have it. A recording writes these rows before it
-- looks for rivals, in the transaction of the host too, so that two recordings of one key come one after the other. In a
-- repeatable read transaction of the host, which cannot see rows that were committed after it began, the write raises error 40001
-- (serialization_failure), and the host repeats its transaction.
create table :schema.operation_guard (
  account text not null,
  key bytea not null,
  holders text[] not null,
  primary key (key, account)
);

-- The names that the platform gives to an operation: the id of its resource, and the references of its transfers. A name is of one operation. See
-- platform-name.sql.
create table :schema.platform_name (
  account text not null,
  name bytea not null,
  operation_id text not null,
  is_transfer boolean not null,
  primary key (name, account)
);

create index platform_name_transfer on :schema.platform_name (operation_id) where is_transfer;

-- Operations as operation.row.ts reads them. The planner replaces a view by its query, so it costs nothing. A volatile
-- column would prevent that, so statements select the current time beside it.
--
-- Columns are text, because the transaction of a host may belong to a library that parses timestamps, numbers or JSON in
-- its own way (Drizzle, TypeORM, a type parser set for the whole process). Times are epoch milliseconds. The columns after
-- traceparent are not read: they are for conditions and order, and their expressions match those of the indexes.
create view :schema.operation_row as
select account, id, kind, idempotency_key, to_jsonb(tills)::text as tills, request::text as request,
  personal::text as personal, currency, amount, amount_minor, to_jsonb(besides)::text as besides, in_background::text as in_background, state, version::text as version,
  platform_id, transaction::text as transaction, outcome::text as outcome, approved_by, settled_via, reason, errors::text as errors, cause, cause_detail, sender,
  (extract(epoch from sent_at) * 1000)::text as sent_at,
  (extract(epoch from denied_at) * 1000)::text as denied_at, decided::text as decided, evidence::text as evidence,
  empty_successes::text as empty_successes, checks::text as checks,
  (extract(epoch from send_before) * 1000)::text as send_before,
  (extract(epoch from created_at) * 1000)::text as created_at,
  (extract(epoch from updated_at) * 1000)::text as updated_at, traceparent,
  -- A commit sets the column of this name back, because a person may have written a note: this says whether a person was ever removed.
  (personal is null or coalesce(personal->'recipients' @> '[null]', false))::text as is_redacted,
  phone_hash, any_payer, redacted, sent_at as raw_sent_at, sent_about, failed_money
from :schema.operation;
