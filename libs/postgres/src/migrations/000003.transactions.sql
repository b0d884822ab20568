-- Transactions: money that the platform says moved. One row has everything under one reference, so that two processes
-- that change one sum of it conflict. The columns that searches need are copied from the first sum. A row with
-- several sums (one reference at two tills that nothing connects) is rare; a search reads all sums of such a row.
--
-- Texts of the platform may have any length, and a B-tree entry must fit into a third of a page. So indexes contain
-- hashes of these texts, never the texts.

create table :schema.transaction (
  account text not null,
  reference_hash bytea not null,
  reference text not null,
  -- The columns that a later report changes stand together, before the long rest of the row. See transaction.row.ts.
  version integer not null default 1,
  marks jsonb not null,
  several boolean not null,
  untied boolean not null,
  redacted boolean not null default false,
  originated_at timestamptz,
  amount_hash bytea,
  payer_hash bytea,
  sums jsonb not null,
  created_at timestamptz not null,
  primary key (reference_hash, account)
) with (fillfactor = 50);

create index transaction_untied on :schema.transaction (amount_hash, payer_hash, coalesce(originated_at, created_at))
  where untied and not several;

create index transaction_several on :schema.transaction (created_at)
  where untied and several;

create index transaction_age on :schema.transaction (redacted, created_at);

create index transaction_origin on :schema.transaction (account, coalesce(originated_at, created_at), reference_hash);

-- Money that nobody has asked for.
create index transaction_unmatched on :schema.transaction (account, coalesce(originated_at, created_at), reference_hash) where untied;

-- Searches of operators by the beginning or the end of a receipt code, without upper and lower case.
create index transaction_beginning on :schema.transaction (lower(left(reference, 40)) text_pattern_ops);

create index transaction_end on :schema.transaction (reverse(lower(right(reference, 40))) text_pattern_ops);
