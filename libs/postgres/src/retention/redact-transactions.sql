-- Index transaction_age. Removes names and phones from each sum. A transaction without an owner stays for 31 days, as
-- long as it may be matched.
with old as (
  select account, reference_hash from :schema.transaction
  where account = $1 and not redacted and created_at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
    and created_at >= to_timestamp($6::float8 / 1000) and created_at < to_timestamp($7::float8 / 1000)
    and ($4::text[] is null or :fn.mentions_in_text(sums::text, $4, $5)
      and not exists (select from :schema.operation refund
        where refund.account = $1 and refund.id = any ($8::text[]) and not refund.redacted
          and refund.request->>'reference' = transaction.reference))
    and (not untied or created_at <= (select :schema.clock()) - interval '31 days')
  order by created_at limit $3 for no key update skip locked
)
update :schema.transaction
set redacted = true, version = version + 1, payer_hash = null, sums = coalesce((
  select jsonb_agg(sum || jsonb_build_object('payerHash', null, 'received', :fn.without_person(sum->'received'),
    'reversal', :fn.without_person(sum->'reversal')) order by place)
  from jsonb_array_elements(transaction.sums) with ordinality as each(sum, place)), '[]')
from old where transaction.account = old.account and transaction.reference_hash = old.reference_hash
returning transaction.reference
