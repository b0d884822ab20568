-- The progress of the sweep of each account, and the lease of the replica that sweeps.

create table :schema.sweep (
  account text primary key,
  sweep_from timestamptz,
  watermark timestamptz,
  recovered_at timestamptz,
  -- Which tills were read.
  scope text,
  -- What was listed and could not be read (UnreadMoney): at most 200, at most 31 days.
  unread jsonb not null default '[]',
  owner text,
  claimed_until timestamptz
);
