-- Index account_claim_pkey.
select exists (
  select from :schema.account_claim where kind = 'till' and value = any ($2::text[]) and account <> $1)::text as is_claimed
