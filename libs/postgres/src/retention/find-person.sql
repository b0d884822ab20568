-- Indexes operation_personal, transaction_age, delivery_of_account, event_age and bare_request_age, in the time that is asked for. Refunds name no
-- customer, and what is emitted and received of an operation may name none: $6 has the ids, ours and the platform's.
select 'operation' as kind, id, extract(epoch from created_at) * 1000 as at, null as body,
  jsonb_build_object('kind', kind, 'idempotencyKey', idempotency_key, 'state', state, 'amount', amount, 'currency', currency,
    'tills', tills, 'request', request, 'personal', personal, 'transaction', transaction, 'outcome', outcome, 'errors', errors,
    'causeDetail', cause_detail, 'approvedBy', approved_by, 'createdAt', created_at) as data
from :schema.operation
where account = $1 and not redacted
  and created_at >= to_timestamp($4::float8 / 1000) and created_at < to_timestamp($5::float8 / 1000)
  and (id = any ($6::text[]) or :fn.mentions_in_operation(operation, $2, $3))
union all
select 'transaction', reference, extract(epoch from created_at) * 1000, null, (
  -- See Marks in transaction.row.ts.
  select jsonb_agg(case when mark ? 'kind' then jsonb_set(sum, '{received,kind}', mark->'kind') else sum end order by place)
  from rows from (jsonb_array_elements(sums), jsonb_array_elements(marks)) with ordinality as each(sum, mark, place))
from :schema.transaction
where account = $1 and not redacted
  and created_at >= to_timestamp($4::float8 / 1000) and created_at < to_timestamp($5::float8 / 1000)
  and :fn.mentions_in_text(sums::text, $2, $3)
union all
select 'delivery', id, extract(epoch from received_at) * 1000, encode(body, 'hex'), null::jsonb
from :schema.delivery
where account = $1
  and received_at >= to_timestamp($4::float8 / 1000) and received_at < to_timestamp($5::float8 / 1000)
  and (:fn.mentions_in_body(body, $2, $3) or :fn.mentions_one_of(body, $6::text[]))
union all
select 'event', id, extract(epoch from created_at) * 1000, null, jsonb_build_object('name', name, 'payload', payload)
from :schema.event
where account = $1 and not redacted
  and created_at >= to_timestamp($4::float8 / 1000) and created_at < to_timestamp($5::float8 / 1000)
  and (stream = any ($6::text[]) or :fn.mentions_in_text(payload::text, $2, $3))
union all
select 'bare_request', id, extract(epoch from created_at) * 1000, null, jsonb_build_object('money', money)
from :schema.bare_request
where account = $1
  and created_at >= to_timestamp($4::float8 / 1000) and created_at < to_timestamp($5::float8 / 1000)
  and created_at > (select :schema.clock()) - interval '31 days' and :fn.mentions_in_text(money::text, $2, $3)
order by at
