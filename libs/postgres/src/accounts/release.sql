-- Index account_claim_account. Tills, or with null all that the account owns.
with released as (
  delete from :schema.account_claim
  where account = $1 and ($2::text[] is null or kind = 'till' and value = any ($2))
  returning kind, value
)
select value from released where kind = 'till' order by value
