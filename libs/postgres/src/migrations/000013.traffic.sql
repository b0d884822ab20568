-- What may be sent to the platform now: one row for each account that was paused, or that has made background requests.
-- Account '*' stands for all accounts; no account can have this name.

create table :schema.traffic (
  account text primary key,
  paused_by text,
  pause_note text,
  paused_at timestamptz,
  -- Until when the platform wants no requests that move money, and no others.
  creates_closed_until timestamptz,
  others_closed_until timestamptz,
  -- When the next background request of any kind may be made.
  next_at timestamptz
) with (fillfactor = 50);

-- When the next background request of each kind may be made. Its writers lock the row of the account before.
create table :schema.traffic_of_kind (
  account text not null,
  kind text not null,
  next_at timestamptz not null,
  primary key (account, kind)
) with (fillfactor = 50);

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
