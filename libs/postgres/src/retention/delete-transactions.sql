-- Index transaction_age.
with old as (
  select account, reference_hash from :schema.transaction
  where account = $1 and redacted and created_at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
  order by created_at limit $3 for update skip locked
)
delete from :schema.transaction using old
where transaction.account = old.account and transaction.reference_hash = old.reference_hash
returning transaction.reference
