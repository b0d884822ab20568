-- The encrypted access token of each account, and the lease of the replica that renews it.

create table :schema.token (
  account text primary key,
  sealed bytea,
  expires_at timestamptz,
  owner text,
  claimed_until timestamptz
);
