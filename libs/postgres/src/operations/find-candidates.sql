-- Operations that may own transactions, for many transactions at once: of the payer (index operation_payer), of any payer if the
-- transaction shows none (operation_amount_sent), and those that anybody may pay (operation_for_all). Each of them in the order
-- of its index, whose time is at most two minutes before that of sending, or one after it (see write_operations).
select given.number, found.*, (extract(epoch from :schema.clock()) * 1000)::text as now
from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::float8[], $6::float8[], $7::float8[]) with ordinality
  as given(account, amount_minor, currency, payer, sent_from, anybody_sent_from, sent_to, number)
cross join lateral (
  (select * from :schema.operation_row
  where phone_hash = decode(given.payer, 'hex') and amount_minor = given.amount_minor and currency = given.currency
    and sent_about between to_timestamp(given.sent_from / 1000) - interval '2 minutes' and to_timestamp(given.sent_to / 1000) + interval '1 minute'
    and raw_sent_at between to_timestamp(given.sent_from / 1000) and to_timestamp(given.sent_to / 1000)
    and state in ('requested', 'pending', 'unknown', 'needs_review', 'failed') and account || '' = given.account
  order by sent_about limit $8)
  union all
  (select * from :schema.operation_row
  where given.payer is null and amount_minor = given.amount_minor and currency = given.currency
    and sent_about between to_timestamp(given.sent_from / 1000) - interval '2 minutes' and to_timestamp(given.sent_to / 1000) + interval '1 minute'
    and raw_sent_at between to_timestamp(given.sent_from / 1000) and to_timestamp(given.sent_to / 1000)
    and phone_hash is not null
    and state in ('requested', 'pending', 'unknown', 'needs_review', 'failed') and account || '' = given.account
  order by sent_about limit $8)
  union all
  (select * from :schema.operation_row
  where any_payer and amount_minor = given.amount_minor and currency = given.currency
    and sent_about between to_timestamp(given.anybody_sent_from / 1000) - interval '2 minutes' and to_timestamp(given.sent_to / 1000) + interval '1 minute'
    and raw_sent_at between to_timestamp(given.anybody_sent_from / 1000) and to_timestamp(given.sent_to / 1000)
    and state in ('requested', 'pending', 'unknown', 'needs_review', 'failed')
    and account || '' = given.account
  order by sent_about limit $8)
) found
