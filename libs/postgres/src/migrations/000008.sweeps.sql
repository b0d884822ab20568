-- The progress of the sweep of each account, and the lease of the replica that sweeps.

create table :schema.sweep (
  account text primary key,
  sweep_from timestamptz,
  watermark timestamptz,
  recovered_at timestamptz,
  owner text,
  claimed_until timestamptz
);
