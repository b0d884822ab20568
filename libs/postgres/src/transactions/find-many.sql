-- Index transaction_pkey.
select account, reference, version, redacted::text as redacted, sums, marks, extract(epoch from created_at) * 1000 as created_at,
  encode(reference_hash, 'hex') as reference_hash
from :schema.transaction
where account = any ($1::text[]) and reference_hash = any (array(select decode(hash, 'hex') from unnest($2::text[]) as given(hash)))
