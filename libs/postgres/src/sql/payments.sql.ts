import { MOST_FOUND } from '@tillkit/payments/store';

/**
 * Every column as text: a host's transaction may come from a library that reads timestamps, numbers or JSON in its own
 * way (Drizzle, TypeORM, a type parser set for the whole process). Text is text to all of them.
 */
export const PAYMENT_COLUMNS = `
  account, id, idempotency_key, channel, till_number, to_jsonb(tills)::text as tills, subscriber::text, currency, amount,
  amount_minor, metadata::text, allow_parallel::text, in_background::text, state, version::text, platform_id,
  transaction::text, reason, errors::text, cause, cause_detail, sender,
  (extract(epoch from sent_at) * 1000)::text as sent_at, window_swept::text,
  (extract(epoch from denied_at) * 1000)::text as denied_at, decided::text, empty_successes::text, checks::text,
  (extract(epoch from :schema.clock() - created_at) * 1000)::text as age_ms,
  (extract(epoch from :schema.clock() - updated_at) * 1000)::text as unchanged_ms,
  (extract(epoch from send_before - :schema.clock()) * 1000)::text as send_within_ms,
  (extract(epoch from created_at) * 1000)::text as created_at, (extract(epoch from updated_at) * 1000)::text as updated_at`;

/** Records a payment, or says what it conflicts with: a function of the schema, see its migration. */
export const RECORD_PAYMENT = `select :schema.record_payment($1::jsonb, $2::integer, $3::float8) as result`;

/** Records many at once. */
export const RECORD_PAYMENTS = `
select :schema.record_payments($1::jsonb, $2::float8, $3::float8, $4::boolean) as result`;

export const FIND_PAYMENT = `select ${PAYMENT_COLUMNS} from :schema.payment where account = $1 and id = $2`;

export const FIND_PAYMENT_BY_KEY = `
select ${PAYMENT_COLUMNS} from :schema.payment where account = $1 and idempotency_key = $2`;

export const FIND_PAYMENT_BY_PLATFORM_ID = `
select ${PAYMENT_COLUMNS} from :schema.payment where account = $1 and platform_id = $2`;

const candidates = (who: string) => `
select ${PAYMENT_COLUMNS} from :schema.payment
where account = $1 and ${who}amount_minor = $2 and currency = $3
  and payment.sent_at between to_timestamp($4::float8 / 1000) and to_timestamp($5::float8 / 1000)
  and payment.sent_at is not null and state in ('requested', 'pending', 'unknown', 'needs_review', 'failed')
order by payment.sent_at limit ${MOST_FOUND}`;

/** Index payment_candidate, in its order. */
export const FIND_CANDIDATES = candidates("phone_hash = decode($6, 'hex') and ");

/** Index payment_candidate_of_any, in its order. */
export const FIND_CANDIDATES_OF_ANY = candidates('');

export const PAYMENT_HISTORY = `
select (extract(epoch from at) * 1000)::text as at, via, what, detail
from :schema.payment_history where account = $1 and payment_id = $2 order by id`;

/** The first that are due: a function of the schema, see its migration. */
export const CLAIM_DUE_PAYMENTS = `
select ${PAYMENT_COLUMNS} from :schema.claim_due_payments($1, $2, $3, $4, $5) payment order by payment.due_at, id`;

/** A row that somebody is changing has another version in a moment: it is left to that change, or to the end of its claim. */
export const SCHEDULE_PAYMENT = `
with mine as (
  select account, id from :schema.payment where account = $1 and id = $2 for no key update skip locked
)
update :schema.payment payment
set due_at = case when look_again then :schema.clock()
    else :schema.clock() + $4::float8 * interval '1 millisecond' end,
  look_again = false, claimed_until = null, checks = coalesce($5::integer, checks)
from mine where payment.account = mine.account and payment.id = mine.id
  and version = $3::integer and state not in ('succeeded', 'reversed')`;

/** Locked in the order in which changes lock them, and judged again after that wait: two that have one cause count once. */
export const HASTEN_PAYMENTS = `
with mine as (
  select account, id from :schema.payment
  where account = $1 and id = any ($2::text[])
    and state in ('requested', 'pending', 'unknown', 'needs_review', 'failed')
    and (hastened_for is null or $3 <> all (hastened_for)
      or hastened_at <= :schema.clock() - $4::float8 * interval '1 millisecond')
  order by id for no key update
)
update :schema.payment payment
set due_at = least(due_at, :schema.clock()), look_again = true, hastened_at = :schema.clock(),
  hastened_for = case when hastened_at > :schema.clock() - $4::float8 * interval '1 millisecond'
    then hastened_for else '{}' end || $3::text
from mine where payment.account = mine.account and payment.id = mine.id`;
