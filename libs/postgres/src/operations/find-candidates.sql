-- Operations that may own transactions, for many transactions at once: of the payer (index operation_payer), of any payer if the transaction shows
-- none, and those that anybody may pay: these are queued, or failed (indexes operation_queue_money and operation_failed). The time of an
-- index is at most two minutes before that of sending, or one after it (see write_operations).
select given.number, found.*, (extract(epoch from :schema.clock()) * 1000)::text as now
from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::float8[], $6::float8[], $7::float8[]) with ordinality
  as given(account, amount_minor, currency, payer, sent_from, anybody_sent_from, sent_to, number)
cross join lateral (
  select given.amount_minor || ' ' || given.currency as money, to_timestamp(given.sent_from / 1000) as from_at,
    to_timestamp(given.anybody_sent_from / 1000) as anybody_from, to_timestamp(given.sent_to / 1000) as to_at
) wanted
cross join lateral (
  (select * from :schema.operation_row
  where phone_hash = decode(given.payer, 'hex') and amount_minor = given.amount_minor and currency = given.currency
    and sent_about between from_at - interval '2 minutes' and to_at + interval '1 minute' and raw_sent_at between from_at and to_at
    and state in ('requested', 'pending', 'unknown', 'needs_review', 'failed') and account || '' = given.account
  order by sent_about limit $8)
  union all
  (select operation_row.* from :schema.operation_queue queued
  join :schema.operation_row on operation_row.id = queued.id and operation_row.account || '' = queued.account
  where given.payer is null and queued.money = wanted.money
    and queued.sent_about between from_at - interval '2 minutes' and to_at + interval '1 minute' and raw_sent_at between from_at and to_at
    and state in ('requested', 'pending', 'unknown', 'needs_review') and queued.account || '' = given.account
  order by queued.sent_about limit $8)
  union all
  (select * from :schema.operation_row
  where given.payer is null and failed_money = wanted.money
    and sent_about between from_at - interval '2 minutes' and to_at + interval '1 minute' and raw_sent_at between from_at and to_at
    and account || '' = given.account
  order by sent_about limit $8)
  union all
  (select operation_row.* from :schema.operation_queue queued
  join :schema.operation_row on operation_row.id = queued.id and operation_row.account || '' = queued.account
  where queued.money = 'any ' || wanted.money
    and queued.sent_about between anybody_from - interval '2 minutes' and to_at + interval '1 minute'
    and raw_sent_at between anybody_from and to_at
    and state in ('requested', 'pending', 'unknown', 'needs_review') and queued.account || '' = given.account
  order by queued.sent_about limit $8)
  union all
  (select * from :schema.operation_row
  where failed_money = 'any ' || wanted.money
    and sent_about between anybody_from - interval '2 minutes' and to_at + interval '1 minute' and raw_sent_at between anybody_from and to_at
    and account || '' = given.account
  order by sent_about limit $8)
) found
