import { maskKey } from '@tillkit/payments/internal/routes';
import type { PaymentRecord } from '@tillkit/payments/internal/store';
import { toPayment } from '@tillkit/payments/internal/tools';
import type { Payment, PaymentsStore } from '@tillkit/payments';
import type { StoredEvent, StoredHistoryEntry } from '@tillkit/payments/types';
import type { CommonOptions } from '../command.options.js';
import type { Columns, Output } from '../output/output.js';

/** A payment with its history and its events. */
export interface FoundPayment {
  payment: Payment;
  history: readonly StoredHistoryEntry[];
  events: readonly StoredEvent[];
}

export async function withHistory(
  record: PaymentRecord,
  store: PaymentsStore,
  { showPhones }: CommonOptions,
): Promise<FoundPayment> {
  const [history, events] = await Promise.all([
    store.operations.history(record.account, record.id),
    store.events.list(record.account, record.id),
  ]);
  const payment = toPayment(record);
  // A host may use the number of the customer in its keys.
  const idempotencyKey = showPhones
    ? payment.idempotencyKey
    : maskKey(payment.idempotencyKey, record.subscriber.phoneNumber);
  return { payment: { ...payment, idempotencyKey }, history, events };
}

const FIELDS: Columns<Payment> = {
  id: 'id',
  account: 'account',
  state: ({ state }, { colors }) => {
    if (state === 'succeeded') return colors.green(state);
    if (state === 'failed' || state === 'reversed') return colors.red(state);
    return state === 'needs_review' ? colors.yellow(state) : state;
  },
  reason: 'reason',
  errors: ({ errors }, output) => errors.map((error) => output.text(error)).join('; '),
  review: ({ cause, causeDetail }, output) => words(output, cause, causeDetail),
  'idempotency key': 'idempotencyKey',
  'platform id': 'platformId',
  amount: ({ amount }, output) => words(output, amount.value, amount.currency),
  till: 'tillNumber',
  customer: ({ subscriber }, output) =>
    words(output, subscriber.firstName, subscriber.lastName, subscriber.phoneNumber),
  transaction: ({ transaction }, output) => output.id(transaction?.reference ?? null),
  received: ({ transaction }, output) =>
    transaction?.amount ? words(output, transaction.amount, transaction.currency) : '',
  metadata: 'metadata',
  created: 'createdAt',
  updated: 'updatedAt',
};

const HISTORY: Columns<StoredHistoryEntry> = {
  at: 'at',
  via: 'via',
  what: 'what',
  detail: 'detail',
};

export function paymentParts(
  { payment, history, events }: FoundPayment,
  output: Output,
): readonly string[] {
  return [
    output.fields(FIELDS, payment),
    output.table(HISTORY, history),
    events.length > 0 ? eventsOf(events, output) : 'No event was emitted yet.',
  ];
}

function eventsOf(events: readonly StoredEvent[], output: Output): string {
  const calls = events.flatMap(({ name, at, calls }) =>
    (calls.length > 0 ? calls : [null]).map((call) => ({ name, at, call })),
  );
  return output.table<(typeof calls)[number]>(
    {
      at: 'at',
      event: 'name',
      listener: ({ call }) => output.text(call?.listener ?? 'no listener'),
      call: ({ call }) => output.text(call?.state),
      attempts: ({ call }) => output.text(call?.attempts),
      'last error': ({ call }) => output.text(call?.lastError),
    },
    calls,
  );
}

function words(output: Output, ...texts: readonly (string | null)[]): string {
  return texts
    .map((text) => output.text(text))
    .filter((text) => text !== '')
    .join(' ');
}
