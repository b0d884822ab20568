-- Refunds of a customer's payments and other money. Indexes operation_personal, transaction_age and operation_refund_of.
with money as (
  select id, transaction->>'reference' as reference
  from :schema.operation
  where account = $1 and not redacted
    and created_at >= to_timestamp($4::float8 / 1000) and created_at < to_timestamp($5::float8 / 1000)
    and :fn.mentions_in_operation(operation, $2, $3)
  union all
  select null, reference
  from :schema.transaction
  where account = $1 and not redacted
    and created_at >= to_timestamp($4::float8 / 1000) and created_at < to_timestamp($5::float8 / 1000)
    and :fn.mentions_in_text(sums::text, $2, $3)
)
select refund.id, refund.platform_id
from money join :schema.operation refund
  on refund.account = $1 and refund.kind = 'refund' and not refund.redacted
  and hashtextextended(refund.request->>'reference', 0) = hashtextextended(money.reference, 0)
  and refund.request->>'reference' = money.reference
  and (money.id is null or refund.request->>'paymentId' is null or refund.request->>'paymentId' = money.id)
