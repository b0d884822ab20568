-- Index account_claim_pkey.
select exists (
  select from :schema.account_claim
  where kind = 'till' and value = any ($2::text[]) and account <> $1
    and claimed_until > :schema.clock() and (given_up_until > :schema.clock()) is not true)::text as is_claimed
