-- Every account that was ever in use, and how far its sweeps have read. Names are compared by the codes of their characters, so that the names
-- with one beginning are a range of the index.

create table :schema.account (
  name text collate "C" primary key,
  started_at timestamptz not null default :schema.clock(),
  sweep_from timestamptz,
  watermark timestamptz,
  recovered_at timestamptz,
  -- The tills that were read.
  scope text,
  -- The lease of the replica that sweeps.
  sweeper text,
  claimed_until timestamptz
);

-- The tills and API keys of accounts. A till belongs to an account until a person releases it, or the account is removed: time alone must not
-- give the money of a till to whoever comes first. The keys are those of the settings that were claimed last.

create table :schema.account_claim (
  account text not null,
  kind text not null,
  -- A till number, or the SHA-256 of an API key in hex.
  value text not null,
  lists_tills boolean not null,
  primary key (kind, value, account)
);

create index account_claim_account on :schema.account_claim (account);

-- Where the default isolation is stricter, a claim of a till that has waited cannot see what it has waited for: this index refuses it.
create unique index account_claim_till on :schema.account_claim (value) where kind = 'till';
