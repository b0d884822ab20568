-- The encrypted access token of each account, and the lease of the replica that renews it for an application of the platform.

create table :schema.token (
  account text primary key,
  sealed bytea,
  expires_at timestamptz,
  application text,
  owner text,
  claimed_until timestamptz
);
