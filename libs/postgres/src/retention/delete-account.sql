-- Indexes of the account: what a removed account has one row of, once retention has deleted all else. An account that has claims was not removed:
-- its source has lost it, and that may be a mistake.
with gone as (
  select name from :schema.account
  where name = $1
    and not exists (select from :schema.operation where operation.account = name)
    and not exists (select from :schema.transaction where transaction.account = name)
    and not exists (select from :schema.delivery where delivery.account = name)
    and not exists (select from :schema.event where event.account = name)
    and not exists (select from :schema.account_claim claim where claim.account = name)
), tokens as (
  delete from :schema.token using gone where token.account = name
), planned as (
  delete from :schema.queue using gone where lane = any ('{sweep,retention}') and queue.account = name
)
delete from :schema.account using gone where account.name = gone.name
returning account.name
