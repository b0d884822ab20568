-- Operations that mention a customer, but for payouts that go to others, too: they are split. Index operation_personal.
select id, platform_id
from :schema.operation
where account = $1 and not redacted
  and created_at >= to_timestamp($4::float8 / 1000) and created_at < to_timestamp($5::float8 / 1000)
  and :fn.mentions_in_operation(operation, $2, $3)
  and not (kind = 'payout' and exists (
    select from jsonb_array_elements(personal->'recipients') as recipient where not :fn.mentions_in_text(recipient::text, $2, $3)))
