import { createHash, randomUUID } from 'node:crypto';
import {
  eventBuilder,
  phoneHash,
  type AskedAgain,
  type LedgerChange,
  type ListenerCall,
  type NewDelivery,
  type NewEvent,
  type NewOperationRecord,
  type NewPayment,
  type OperationFields,
  type OperationGuard,
  type OperationRecord,
  type PaymentRecord,
  type PaymentsEvents,
  type PaymentsStore,
  type RecordResult,
  type Transaction,
  type TransactionSum,
} from '@tillkit/payments/internal/store';

/** Builds an event. */
export const newEvent: ReturnType<typeof eventBuilder<PaymentsEvents>> = eventBuilder();

/** Commits one change; the time of the change, or null when it was refused. */
export async function commitTo(
  store: Pick<PaymentsStore, 'ledger'>,
  change: LedgerChange,
): Promise<Date | null> {
  return (await store.ledger.commit(change))?.at ?? null;
}

/** A store, and control over its clock. */
export interface StoreUnderTest {
  store: PaymentsStore;
  /** Moves all times in the store into the past. */
  advance(ms: number): Promise<void>;
  /** Returns all that the store keeps, of all accounts, as text. */
  everything(): Promise<string>;
  close(): Promise<void>;
}

export type OpenStore = () => Promise<StoreUnderTest>;

/** Returns a new account, so that tests do not see each other's data. */
export function newAccount(): string {
  return `account-${randomUUID()}`;
}

export type NewPayout = Extract<NewOperationRecord, { transfers: unknown }>;

/** Operations of all kinds have these fields. */
export const asked = (account: string) => ({
  id: randomUUID(),
  account,
  idempotencyKey: randomUUID(),
  amount: { currency: 'KES', value: '100.00' },
  amountMinor: '10000',
  tills: [],
  besides: [],
  inBackground: false,
});

/** Returns a payout to one wallet. */
export function aPayout(account: string, input: Partial<NewPayout> = {}): NewPayout {
  return {
    ...asked(account),
    kind: 'payout',
    sourceIdentifier: null,
    transfers: [{ type: 'mobile_wallet', amount: '100.00' }],
    recipients: [
      {
        type: 'mobile_wallet',
        phoneNumber: PAYER,
        network: 'Safaricom',
        amount: '100.00',
        description: 'Wages',
      },
    ],
    metadata: { invoice: 7 },
    requestedBy: 'Jane',
    needsApproval: false,
    ...input,
  };
}

export type NewRefund = Extract<NewOperationRecord, { why: unknown }>;

/** Returns a refund of a transaction, which nothing guards. */
export function aRefund(account: string, input: Partial<NewRefund> = {}): NewRefund {
  return {
    ...asked(account),
    kind: 'refund',
    paymentId: null,
    reference: 'R',
    tillNumber: '514459',
    why: 'out of stock',
    metadata: null,
    requestedBy: null,
    ...input,
  };
}

let phones = 0;

/** Returns a payment with a new phone number, so that two of them are never in flight for the same payer. */
export function aPayment(account: string, input: Partial<NewPayment> = {}): NewPayment {
  phones += 1;
  const payment = {
    ...asked(account),
    kind: 'payment',
    channel: 'M-PESA STK Push',
    tillNumber: 'K000123',
    order: null,
    tills: ['K000123', '514459'],
    subscriber: {
      firstName: 'Jane',
      lastName: 'Doe',
      phoneNumber: `+2547001${String(phones).padStart(5, '0')}`,
    },
    metadata: { order: '17', count: 0, paid: false, note: '', nothing: null },
    ...input,
  } as const;
  return { guard: guardOfPayment(payment), ...payment };
}

/** One payer is asked for one amount at a till once at a time. */
function guardOfPayment({ subscriber, amount, amountMinor }: NewPayment): OperationGuard {
  const payer = [subscriber.phoneNumber, amount.currency, amountMinor].join(' ');
  return { keys: [{ key: createHash('sha256').update(payer).digest('hex'), atTill: true }] };
}

type RecordOf<New extends NewOperationRecord> = New extends NewPayment
  ? PaymentRecord
  : OperationRecord;

export async function recorded<New extends NewOperationRecord>(
  store: PaymentsStore,
  operation: New,
  sendBeforeMs = 60_000,
): Promise<RecordOf<New>> {
  const result = await record(store, operation, sendBeforeMs);
  if (result.kind !== 'recorded')
    throw new Error(`expected a recorded operation, got ${result.kind}`);
  return result.operation;
}

export function record<New extends NewOperationRecord>(
  store: PaymentsStore,
  operation: New,
  sendBeforeMs = 60_000,
): Promise<RecordResult<RecordOf<New>>> {
  const result = store.operations.record(operation, { sendBeforeMs });
  return result as Promise<RecordResult<RecordOf<New>>>;
}

/** Returns a change of a payment only. */
export function ledgerChange(
  { account, id, version }: Pick<OperationRecord, 'account' | 'id' | 'version'>,
  set: OperationFields,
  more: Partial<LedgerChange> & {
    dueInMs?: number | null;
    sendWithinMs?: number;
    asks?: AskedAgain;
  } = {},
): LedgerChange {
  const { dueInMs, sendWithinMs, asks, ...rest } = more;
  const due = {
    ...(dueInMs !== undefined && { dueInMs }),
    ...(sendWithinMs !== undefined && { sendWithinMs }),
    ...(asks && { asks }),
  };
  return { account, operation: { id, version, set, ...due }, events: [], history: [], ...rest };
}

/** Makes a change that must succeed, and reads the payment after it. */
export async function changed<O extends OperationRecord>(
  store: PaymentsStore,
  payment: O,
  set: OperationFields,
  more: Parameters<typeof ledgerChange>[2] = {},
): Promise<O> {
  if (!(await commitTo(store, ledgerChange(payment, set, more))))
    throw new Error('the change was refused');
  return (await store.operations.find(payment.account, payment.id)) as O;
}

export function aTransaction(input: Partial<Transaction> = {}): Transaction {
  return {
    provenance: 'till',
    id: 'cac95329-9fa5-42f1-a4fc-c08af7b868fb',
    type: 'Buygoods Transaction',
    kind: 'buygoods',
    amount: '100.00',
    currency: 'KES',
    status: 'Received',
    system: 'Lipa Na M-PESA',
    reference: 'OJM6Q1W84K',
    tillNumber: 'K000123',
    originationTime: '2026-01-20T22:45:12.790Z',
    senderFirstName: 'Jane',
    senderMiddleName: null,
    senderLastName: 'Doe',
    senderPhoneNumber: PAYER,
    hashedSenderPhone: null,
    sendingTill: null,
    cardNumber: null,
    settled: null,
    raw: { amount: '100.0', sender_first_name: 'Jane' },
    ...input,
  };
}

export const PAYER = '+254700000001';

/** Returns a received transaction without a payment. */
export function aSum(input: Partial<TransactionSum> = {}): TransactionSum {
  return {
    tills: ['K000123', '514459'],
    received: aTransaction(),
    reversal: null,
    webhookEventIds: [],
    webhookDeliveryIds: [],
    paymentId: null,
    paymentLinkId: null,
    bareId: null,
    announced: true,
    reversalAnnounced: false,
    originatedAt: new Date('2026-01-20T22:45:12.790Z'),
    currency: 'KES',
    amountMinor: '10000',
    payerHash: phoneHash(PAYER),
    ...input,
  };
}

/** Returns a change of a transaction only. */
export function transactionChange(
  account: string,
  reference: string,
  version: number | null,
  sums: readonly TransactionSum[] = [aSum()],
  more: Partial<LedgerChange> = {},
): LedgerChange {
  return { account, transaction: { reference, version, sums }, events: [], history: [], ...more };
}

export function anEvent(account: string, stream: string, distinction = ''): NewEvent {
  return newEvent(
    'delivery.unrecognised',
    { account, stream, via: 'webhook', distinction },
    { deliveryId: 'delivery', topic: 'topic' },
  );
}

/** Commits events without changing anything else. */
export async function commitEvents(
  store: PaymentsStore,
  account: string,
  ...events: readonly NewEvent[]
): Promise<void> {
  await commitTo(store, { account, events, history: [] });
}

/** Claims calls of some listeners of one account, with one limit for all of them together. */
export function claimCalls(
  { events }: PaymentsStore,
  account: string,
  listeners: readonly string[],
  limit: number,
  leaseMs: number,
): Promise<ListenerCall[]> {
  const wanted = {
    account,
    most: limit,
    listeners: listeners.map((id) => ({ id, most: limit })),
  };
  return events.claimCalls([wanted], limit, leaseMs);
}

export function aDelivery(account: string, input: Partial<NewDelivery> = {}): NewDelivery {
  const body = input.body ?? Buffer.from(JSON.stringify({ id: randomUUID() }));
  return {
    id: randomUUID(),
    account,
    key: createHash('sha256').update(body).digest('hex'),
    kind: 'webhook',
    resource: null,
    resourceId: null,
    verifiedBy: 'signature',
    body,
    ...input,
  };
}

export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** A listener of `delivery.unrecognised`. */
export const LISTENER = 'Shop.listen';

export async function listen(store: PaymentsStore, account: string): Promise<void> {
  await store.events.registerListeners(
    account,
    [{ event: 'delivery.unrecognised', listener: LISTENER }],
    'start',
  );
}

/** Claims the calls of that listener. Resolves with the ids of their events. */
export async function received(store: PaymentsStore, account: string): Promise<string[]> {
  return (await claimCalls(store, account, [LISTENER], 100, 60_000)).map(({ eventId }) => eventId);
}
