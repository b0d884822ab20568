import { maskKey } from '@tillkit/payments/internal/routes';
import type { PaymentsStore } from '@tillkit/payments';
import type { StoredEvent, StoredHistoryEntry } from '@tillkit/payments/types';
import type { PaymentRecord } from '@tillkit/payments/internal/store';
import { toPayment } from '@tillkit/payments/internal/tools';
import type { Output } from '../output/output.js';

/** Prints a payment with its history and its events. */
export async function printPayment(
  record: PaymentRecord,
  store: PaymentsStore,
  output: Output,
  showPhones: boolean,
): Promise<void> {
  const [history, events] = await Promise.all([
    store.operations.history(record.account, record.id),
    store.events.list(record.account, record.id),
  ]);
  const { idempotencyKey, ...payment } = toPayment(record);
  // A host may use the number of the customer in its keys.
  const key = showPhones ? idempotencyKey : maskKey(idempotencyKey, record.subscriber.phoneNumber);
  const shown = { ...payment, idempotencyKey: key };
  output.result({ payment: shown, history, events }, () =>
    [
      output.fields(fieldsOf(shown, output)),
      '',
      historyOf(history, output),
      '',
      ...(events.length > 0 ? [eventsOf(events, output)] : ['No event was emitted yet.']),
    ].join('\n'),
  );
}

function fieldsOf(
  payment: Omit<ReturnType<typeof toPayment>, 'metadata'> & { metadata: unknown },
  output: Output,
): [string, string][] {
  const { subscriber, amount, transaction } = payment;
  const name = `${subscriber.firstName} ${subscriber.lastName}`.trim();
  return [
    ['id', output.id(payment.id)],
    ['account', output.text(payment.account)],
    ['state', stateOf(payment.state, output)],
    ['reason', output.text(payment.reason)],
    ['errors', payment.errors.map((error) => output.text(error)).join('; ')],
    [
      'review',
      [payment.cause, payment.causeDetail]
        .map((text) => output.text(text))
        .join(' ')
        .trim(),
    ],
    ['idempotency key', output.text(payment.idempotencyKey)],
    ['platform id', output.id(payment.platformId)],
    ['amount', `${output.text(amount.value)} ${output.text(amount.currency)}`],
    ['till', output.id(payment.tillNumber)],
    ['customer', `${output.text(name)} ${output.text(subscriber.phoneNumber)}`.trim()],
    ['transaction', output.id(transaction?.reference ?? null)],
    [
      'received',
      output.text(transaction?.amount && `${transaction.amount} ${transaction.currency ?? ''}`),
    ],
    ['metadata', payment.metadata ? output.text(payment.metadata) : ''],
    ['created', output.text(payment.createdAt)],
    ['updated', output.text(payment.updatedAt)],
  ];
}

function stateOf(state: string, { colors }: Output): string {
  if (state === 'succeeded') return colors.green(state);
  if (state === 'failed' || state === 'reversed') return colors.red(state);
  return state === 'needs_review' ? colors.yellow(state) : state;
}

function historyOf(history: readonly StoredHistoryEntry[], output: Output): string {
  return output.table(
    ['at', 'via', 'what', 'detail'],
    history.map(({ at, via, what, detail }) => [
      output.text(at),
      output.text(via),
      output.text(what),
      output.text(detail),
    ]),
  );
}

function eventsOf(events: readonly StoredEvent[], output: Output): string {
  const rows = events.flatMap(({ name, at, calls }) =>
    (calls.length > 0 ? calls : [null]).map((call) => [
      output.text(at),
      output.text(name),
      output.text(call?.listener ?? 'no listener'),
      output.text(call?.state),
      output.text(call?.attempts),
      output.text(call?.lastError),
    ]),
  );
  return output.table(['at', 'event', 'listener', 'call', 'attempts', 'last error'], rows);
}
