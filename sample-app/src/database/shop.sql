-- The shop's own tables, in the same database as the payments.
create schema if not exists shop;

create table if not exists shop.orders (
  -- Also the secret part of the order page's address.
  id text primary key,
  number integer generated always as identity (start with 1001) unique,
  -- The form that it came from. A form with another name or phone is another order, and still one basket, which is paid once.
  basket text not null,
  goods text not null,
  currency text not null,
  price numeric(12, 2) not null,
  customer text not null,
  -- The customer's latest input.
  phone text not null,
  -- The number of payments: one, and one more for each retry.
  attempts integer not null default 1,
  -- The numbers of payment links and of refunds.
  links integer not null default 0,
  refunds integer not null default 0,
  paid_at timestamptz,
  -- The payment or the link that paid it.
  paid_with text
);

create table if not exists shop.till (
  sequence bigint generated always as identity,
  -- The id of the event. A repeated listener call has the same id.
  event_id text primary key,
  webhook_event_id text,
  amount text,
  currency text,
  reference text,
  payer text not null,
  phone text,
  -- Null when the customer paid the till directly.
  order_number integer,
  received_at timestamptz not null,
  -- Whether the money went back.
  reversed boolean not null default false
);

-- Payouts to suppliers. The library stores everything else of a payout.
create table if not exists shop.payouts (
  sequence bigint generated always as identity,
  id text primary key,
  supplier text not null
);

-- The subscriptions to webhooks that exist: the platform cannot list them.
create table if not exists shop.subscriptions (
  -- The run of the practice platform.
  platform text,
  event_type text,
  url text,
  primary key (platform, event_type, url)
);

create table if not exists shop.thanks (
  webhook_event_id text primary key,
  -- requested, sent or failed
  state text not null
);
