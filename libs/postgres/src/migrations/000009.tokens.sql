-- The encrypted access token of each application of the platform, and the lease of the replica that renews it.

create table :schema.token (
  account text not null,
  application text not null,
  sealed bytea,
  expires_at timestamptz,
  owner text,
  claimed_until timestamptz,
  primary key (account, application)
);
