-- Index operation_personal. A person can be computed from the guard of a payment or a payout, so its keys are deleted with the rest. The key of a refund or of an order
-- names no person, and refuses a second one for ever.
-- Of one customer ($4), also refunds of the customer's money. A payment stays until its refunds are redacted, and what is in $8 (refunds and own
-- operations: their ids, ours and the platform's) until what was emitted and received of it is: nothing else says whose they are.
with old as (
  select account, id, array(select unnest(guard_keys) except select unnest(lasting_keys)) as personal_keys from :schema.operation
  where account = $1 and not redacted and state in ('succeeded', 'partially_succeeded', 'failed', 'reversed')
    and updated_at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
    and created_at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
    and created_at >= to_timestamp($6::float8 / 1000) and created_at < to_timestamp($7::float8 / 1000)
    and ($4::text[] is null
      or (id = any ($8::text[]) or :fn.mentions_in_operation(operation, $4, $5))
        and (id <> all ($8::text[])
          or not exists (select from :schema.event
            where hashtextextended(event.stream, 0) = hashtextextended(operation.id, 0) and event.stream = operation.id
              and event.account = operation.account and not event.redacted)
          and not exists (select from :schema.queue join :schema.delivery on delivery.account = queue.account and delivery.id = queue.item
            where lane = any ('{callback,webhook}') and queue.account = operation.account
              and :fn.mentions_one_of(delivery.body, array[operation.id, operation.platform_id])))
        and not exists (select from :schema.operation refund
          where operation.kind <> 'refund' and refund.account = $1 and refund.id = any ($8::text[]) and not refund.redacted
            and (refund.request->>'paymentId' = operation.id or refund.request->>'reference' = operation.transaction->>'reference')))
    and :fn.may_redact(operation, (select :schema.clock()))
  order by created_at limit $3 for no key update skip locked
), ids as (
  select coalesce(array_agg(id), '{}') as ids from old
), unused as (
  -- The holders are read from the row as it is when its lock is free: a recording may have changed it meanwhile.
  delete from :schema.operation_guard guard using ids
  where guard.account = $1 and guard.key in (select unnest(personal_keys) from old)
    and guard.holders <@ ids.ids
), used as (
  update :schema.operation_guard guard
  set holders = array(select holder from unnest(guard.holders) as holder where holder <> all (ids.ids))
  from ids
  where guard.account = $1 and guard.key in (select unnest(personal_keys) from old)
    and not guard.holders <@ ids.ids
)
update :schema.operation
set redacted = true, version = version + 1, personal = null, transaction = :fn.without_person(transaction), errors = '[]', cause_detail = null, history = '[]',
  counted = null, failed_money = null, guard_keys = lasting_keys, approved_by = null, phone_hash = case when phone_hash is null then null else ''::bytea end,
  outcome = case jsonb_typeof(outcome)
    when 'array' then (select jsonb_agg(part || '{"errors": []}' order by place)
      from jsonb_array_elements(outcome) with ordinality as each(part, place))
    else outcome end
from old where operation.account = old.account and operation.id = old.id
returning operation.id
