/**
 * Every column as text: a host's transaction may come from a library that reads timestamps, numbers or JSON in its own
 * way (Drizzle, TypeORM, a type parser set for the whole process). Text is text to all of them.
 */
export const PAYMENT_COLUMNS = `
  account, id, idempotency_key, fingerprint, channel, till_number, till_key, subscriber::text, currency, amount,
  amount_minor, metadata::text, allow_parallel::text, state, version::text, platform_id, transaction::text, reason,
  errors::text, cause, cause_detail, (extract(epoch from sent_at) * 1000)::text as sent_at, empty_successes::text,
  checks::text, (extract(epoch from clock_timestamp() - created_at) * 1000)::text as age_ms,
  (extract(epoch from send_before - clock_timestamp()) * 1000)::text as send_within_ms,
  (extract(epoch from created_at) * 1000)::text as created_at, (extract(epoch from updated_at) * 1000)::text as updated_at`;

/** Records a payment, or says what it conflicts with: a function of the schema, see its migration. */
export const RECORD_PAYMENT = `select :schema.record_payment($1::jsonb, $2::float8, $3::float8) as result`;

/** Records many at once. */
export const RECORD_PAYMENTS = `select :schema.record_payments($1::jsonb) as result`;

export const FIND_PAYMENT = `select ${PAYMENT_COLUMNS} from :schema.payment where account = $1 and id = $2`;

export const FIND_PAYMENT_BY_KEY = `
select ${PAYMENT_COLUMNS} from :schema.payment where account = $1 and idempotency_key = $2`;

export const FIND_PAYMENT_BY_PLATFORM_ID = `
select ${PAYMENT_COLUMNS} from :schema.payment where account = $1 and platform_id = $2`;

/** Index payment_open, in its order. */
export const FIND_OPEN_PAYMENTS = `
select ${PAYMENT_COLUMNS} from :schema.payment
where account = $1 and till_key = $2 and currency = $3 and amount_minor = $4
  and state in ('requested', 'pending', 'unknown')
order by payment.created_at, id limit 100`;

export const PAYMENT_HISTORY = `
select (extract(epoch from at) * 1000)::text as at, via, what, detail
from :schema.payment_history where account = $1 and payment_id = $2 order by id`;

/** The first that are due: a function of the schema, see its migration. */
export const CLAIM_DUE_PAYMENTS = `
select ${PAYMENT_COLUMNS} from :schema.claim_due_payments($1, $2, $3) payment order by payment.due_at, id`;

export const SCHEDULE_PAYMENT = `
update :schema.payment
set due_at = clock_timestamp() + $3::float8 * interval '1 millisecond', claimed_until = null,
  checks = coalesce($4::integer, checks)
where account = $1 and id = $2 and state not in ('succeeded', 'failed', 'reversed')`;
