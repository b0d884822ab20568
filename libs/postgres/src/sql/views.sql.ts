import type {
  DeliveryFilter,
  PaymentFilter,
  PaymentRecord,
  TransactionFilter,
} from '@tillkit/payments/store';
import { hashOf, storableText } from '../storable.js';
import { Conditions, cursorOf, type Cursor } from './conditions.js';
import { TRANSACTION_COLUMNS } from './ledger.sql.js';
import { PAYMENT_COLUMNS } from './payments.sql.js';

/** A statement and its values. */
export interface Query {
  text: string;
  values: unknown[];
}

const FREQUENT: readonly PaymentRecord['state'][] = ['succeeded', 'failed'];

/** Index payment_created, payment_watched, payment_phone, or that of the one key that is asked for. */
export function listPayments(
  account: string,
  filter: PaymentFilter & { phoneHash?: string },
  limit: number,
  after: Cursor | undefined,
): Query {
  const { states, from, to } = filter;
  const conditions = new Conditions(account)
    .add('state = any(?::text[])', states)
    .add("phone_hash = decode(?, 'hex') and not redacted", filter.phoneHash)
    .add('idempotency_key = ?', storable(filter.idempotencyKey))
    .add('platform_id = ?', storable(filter.platformId))
    .add(
      "hashtextextended(transaction->>'reference', 0) = hashtextextended(?, 0) " +
        "and transaction is not null and transaction->>'reference' = ?",
      storable(filter.reference),
    )
    .add('payment.created_at >= to_timestamp(?::float8 / 1000)', from?.getTime())
    .add('payment.created_at < to_timestamp(?::float8 / 1000)', to?.getTime())
    .before('payment.created_at', 'id', after);
  // says so in the words of the partial index, which is small where most payments are done
  if (states && !states.some((state) => FREQUENT.includes(state))) {
    conditions.state("state not in ('succeeded', 'failed')");
  }
  return {
    text: `
select ${PAYMENT_COLUMNS}, ${cursorOf('payment.created_at', 'id')} from :schema.payment payment
where ${conditions.where}
order by payment.created_at desc, id desc limit ${limit}`,
    values: conditions.values,
  };
}

/** Index till_transaction_origin, or the key where a reference is asked for. */
export function listTransactions(
  account: string,
  { reference, from, to }: TransactionFilter,
  limit: number,
  after: Cursor | undefined,
): Query {
  const time = 'coalesce(money.originated_at, money.created_at)';
  // Those of one moment are told apart by the hash of their reference, which may be too long for a cursor: bytes here, hex there.
  const conditions = new Conditions(account)
    .add(
      "reference_hash = decode(?, 'hex')",
      reference === undefined ? undefined : hashOf(reference),
    )
    .add(`${time} >= to_timestamp(?::float8 / 1000)`, from?.getTime())
    .add(`${time} < to_timestamp(?::float8 / 1000)`, to?.getTime())
    .before(time, "encode(reference_hash, 'hex')", after);
  if (from ?? to) conditions.state('money.originated_at is not null');
  return {
    text: `
select ${TRANSACTION_COLUMNS}, ${cursorOf(time, "encode(reference_hash, 'hex')")} from :schema.till_transaction money
where ${conditions.where}
order by ${time} desc, reference_hash desc limit ${limit}`,
    values: conditions.values,
  };
}

const DELIVERY_STATES = {
  pending: 'queue.id is not null',
  done: "queue.id is null and outcome = 'done'",
  unrecognised: "queue.id is null and outcome = 'unrecognised'",
} as const;

/** Index delivery_age, delivery_unrecognised, or what waits in the queue. */
export function listDeliveries(
  account: string,
  { state }: DeliveryFilter,
  limit: number,
  after: Cursor | undefined,
): Query {
  const conditions = new Conditions(account, 'delivery.account').before(
    'delivery.received_at',
    'delivery.id',
    after,
  );
  if (state) conditions.state(DELIVERY_STATES[state]);
  return {
    text: `
select delivery.account, delivery.id, encode(key, 'hex') as key, delivery.kind, resource, resource_id, verified_by,
  octet_length(body) as bytes, case when queue.id is null then outcome else 'pending' end as state, redeliveries,
  coalesce(queue.attempts, delivery.attempts) as attempts, coalesce(queue.last_error, delivery.last_error) as last_error,
  (extract(epoch from received_at) * 1000) as received_at,
  (extract(epoch from :schema.clock() - received_at) * 1000) as age_ms, ${cursorOf('delivery.received_at', 'delivery.id')}
from :schema.delivery delivery
${state === 'pending' ? '' : 'left '}join :schema.delivery_queue queue
  on queue.id = delivery.id and queue.account = delivery.account
where ${conditions.where}
order by delivery.received_at desc, delivery.id desc limit ${limit}`,
    values: conditions.values,
  };
}

/** Index event_stream, and for each event call_event, for what waits, and told_event, for what is done. */
export const LIST_EVENTS = `
select event.id, name, stream, via, (extract(epoch from created_at) * 1000) as at,
  coalesce((
    select jsonb_agg(jsonb_build_object('id', id, 'listener', listener, 'state', state, 'attempts', attempts,
      'lastError', last_error, 'endedAt', extract(epoch from ended_at) * 1000) order by listener)
    from (
      select call.id::text as id, listener, state, attempts, last_error, died_at as ended_at
      from :schema.call call where call.event_id = event.id and call.account = event.account
      union all
      select event.id || ':' || listener, listener, 'done', attempts, null, at
      from :schema.told told where told.event_place = event.place
    ) calls), '[]') as calls
from :schema.event event
where hashtextextended(stream, 0) = hashtextextended($2, 0) and stream = $2 and account = $1
order by created_at, place`;

function storable(text: string | undefined): string | undefined {
  return text === undefined ? undefined : storableText(text);
}
