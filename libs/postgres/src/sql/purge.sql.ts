/**
 * What retention forgets, one kind after the other, each in the order of an index and no more than a batch at a time.
 * Rows that somebody works on are left for the next time.
 */
const FORGOTTEN = `'{"senderFirstName": null, "senderMiddleName": null, "senderLastName": null, "senderPhoneNumber": null,
  "hashedSenderPhone": null, "raw": {}}'::jsonb`;

const AGE = `(select :schema.clock()) - $2::float8 * interval '1 millisecond'`;

/** Index payment_finished. A payment that failed after it was sent may be a rival for money as long as money is matched. */
export const REDACT_PAYMENTS = `
with old as (
  select account, id from :schema.payment
  where account = $1 and not redacted and state in ('succeeded', 'failed', 'reversed') and updated_at <= ${AGE}
    and (state <> 'failed' or sent_at is null or reason in ('rejected', 'not_sent')
      or updated_at <= (select :schema.clock()) - interval '31 days')
  order by updated_at limit $3 for no key update skip locked
), timeline as (
  delete from :schema.payment_history history using old
  where history.account = old.account and history.payment_id = old.id
)
update :schema.payment payment
set redacted = true, metadata = null, transaction = transaction || ${FORGOTTEN}, phone_hash = '', errors = '[]',
  cause_detail = null, subscriber = '{"firstName": "", "lastName": "", "phoneNumber": ""}'
from old where payment.account = old.account and payment.id = old.id
returning payment.id`;

const forgotten = (what: string) =>
  `case jsonb_typeof(sum->'${what}') when 'object' then (sum->'${what}') || ${FORGOTTEN} else sum->'${what}' end`;

/** Names and phones of money, in each of its sums; index till_transaction_age. */
export const REDACT_TRANSACTIONS = `
with old as (
  select account, reference_hash from :schema.till_transaction
  where account = $1 and not redacted and created_at <= ${AGE}
    and (not untied or created_at <= (select :schema.clock()) - interval '31 days')
  order by created_at limit $3 for no key update skip locked
)
update :schema.till_transaction money
set redacted = true, payer_hash = null, sums = coalesce((
  select jsonb_agg(sum || jsonb_build_object(
    'payerHash', null, 'received', ${forgotten('received')}, 'reversal', ${forgotten('reversal')}) order by place)
  from jsonb_array_elements(money.sums) with ordinality as each(sum, place)), '[]')
from old where money.account = old.account and money.reference_hash = old.reference_hash
returning money.reference`;

/** What was told to every listener; its id stays, so that it is not told again. Indexes event_age, told_event. */
export const REDACT_EVENTS = `
with old as (
  select account, id, place from :schema.event event
  where account = $1 and not redacted and created_at <= ${AGE}
    and not exists (select from :schema.call call where call.account = event.account and call.event_id = event.id)
  order by created_at limit $3 for no key update skip locked
), listeners as (
  delete from :schema.told told using old where told.event_place = old.place
)
update :schema.event event set redacted = true, payload = null
from old where event.account = old.account and event.id = old.id
returning event.id`;

/** What some listener has not heard, long after the last attempt; index event_age. */
export const UNHEARD_EVENTS = `
select id, payload::text from :schema.event event
where account = $1 and not redacted and created_at <= ${AGE}
  and exists (select from :schema.call call where call.account = event.account and call.event_id = event.id)
  and not exists (
    select from :schema.call call where call.account = event.account and call.event_id = event.id
      and (coalesce(call.died_at, call.due_at) > (select :schema.clock()) - $3::float8 * interval '1 millisecond'
        or call.claimed_until > (select :schema.clock())))
order by created_at limit $4`;

export const REPLACE_PAYLOADS = `
with errors as (
  update :schema.call set last_error = $4
  where account = $1 and event_id = any ($2::text[]) and last_error is not null
)
update :schema.event event set redacted = true, payload = given.payload::jsonb
from unnest($2::text[], $3::text[]) as given(id, payload)
where event.account = $1 and event.id = given.id and not event.redacted
returning event.id`;

/** Deliveries altogether: their key only saves work. Index delivery_age. */
export const REMOVE_DELIVERIES = `
with old as (
  select account, id from :schema.delivery delivery
  where account = $1 and received_at <= ${AGE}
    and not exists (
      select from :schema.delivery_queue queue where queue.account = delivery.account and queue.id = delivery.id)
  order by received_at limit $3 for update skip locked
)
delete from :schema.delivery delivery using old
where delivery.account = old.account and delivery.id = old.id
returning delivery.id`;

export const REMOVE_PAYMENTS = `
with old as (
  select account, id from :schema.payment
  where account = $1 and redacted and state in ('succeeded', 'failed', 'reversed') and updated_at <= ${AGE}
  order by updated_at limit $3 for update skip locked
)
delete from :schema.payment payment using old
where payment.account = old.account and payment.id = old.id
returning payment.id`;

export const REMOVE_TRANSACTIONS = `
with old as (
  select account, reference_hash from :schema.till_transaction
  where account = $1 and redacted and created_at <= ${AGE}
  order by created_at limit $3 for update skip locked
)
delete from :schema.till_transaction money using old
where money.account = old.account and money.reference_hash = old.reference_hash
returning money.reference`;

export const REMOVE_EVENTS = `
with old as (
  select account, id, place from :schema.event event
  where account = $1 and redacted and created_at <= ${AGE}
    and not exists (select from :schema.call call where call.account = event.account and call.event_id = event.id)
  order by created_at limit $3 for update skip locked
), listeners as (
  delete from :schema.told told using old where told.event_place = old.place
)
delete from :schema.event event using old
where event.account = old.account and event.id = old.id
returning event.id`;
