-- Requests that the host sent with the bare resources, without an operation. They are kept for 31 days, because money
-- that arrives may belong to them.

create table :schema.bare_request (
  account text not null,
  id text not null,
  resource text not null check (resource in ('incoming-payments', 'polling', 'sms-notifications')),
  platform_id text,
  sent_at timestamptz not null,
  money jsonb,
  amount_hash bytea,
  payer_hash bytea,
  created_at timestamptz not null,
  primary key (id, resource, account)
);

create index bare_request_candidate on :schema.bare_request (amount_hash, payer_hash, sent_at)
  where amount_hash is not null;

create index bare_request_candidate_of_any on :schema.bare_request (amount_hash, sent_at)
  where amount_hash is not null;

create index bare_request_age on :schema.bare_request (created_at);
