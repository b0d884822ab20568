-- Who paused and resumed sending. Account '*' stands for all accounts; no account can have this name.
create table :schema.pause (
  id bigint generated always as identity primary key,
  account text not null,
  what text not null check (what in ('paused', 'resumed')),
  by_whom text not null,
  note text not null,
  at timestamptz not null default :schema.clock(),
  -- True while sending is paused by it.
  is_current boolean not null
);

create unique index pause_current on :schema.pause (account) where is_current;

create index pause_of_account on :schema.pause (account, id);

-- The last transaction that paused or resumed sending. A sequence: every transaction sees its present value, whatever its isolation.
create sequence :schema.pause_transaction;
