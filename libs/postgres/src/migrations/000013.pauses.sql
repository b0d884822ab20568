-- The pauses of sending now. Account '*' stands for all accounts; no account can have this name.
create table :schema.pause (
  account text primary key,
  by_whom text not null,
  note text not null,
  at timestamptz not null default :schema.clock()
);

create table :schema.pause_entry (
  id bigint generated always as identity primary key,
  account text not null,
  what text not null check (what in ('paused', 'resumed')),
  by_whom text not null,
  note text not null,
  at timestamptz not null default :schema.clock()
);

create index pause_entry_account on :schema.pause_entry (account, id);

-- The last transaction that paused or resumed sending. A sequence: every transaction sees its present value, whatever its isolation.
create sequence :schema.pause_transaction;
