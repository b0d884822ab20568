-- The shop's own tables, in the same database as the payments.
create schema if not exists shop;

create table if not exists shop.orders (
  -- Also the secret part of the page's address: nobody can guess it.
  id text primary key,
  number integer generated always as identity (start with 1001) unique,
  goods text not null,
  currency text not null,
  price numeric(12, 2) not null,
  customer text not null,
  -- As the customer wrote it last.
  phone text not null,
  -- Payments asked for: one, and one more for each retry.
  attempts integer not null default 1,
  paid_at timestamptz
);

create table if not exists shop.till (
  place bigint generated always as identity,
  -- The event's id: a repeated listener call has the same one.
  event_id text primary key,
  webhook_event_id text,
  amount text,
  currency text,
  reference text,
  payer text not null,
  phone text,
  -- Null when the customer paid the till directly.
  order_number integer,
  received_at timestamptz not null
);

create table if not exists shop.thanks (
  webhook_event_id text primary key,
  -- asked, sent or failed
  state text not null
);
