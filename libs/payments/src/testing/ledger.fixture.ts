import type { AccountResources, Resources } from '../platform/resources.js';
import { randomUUID } from 'node:crypto';
import type { ListenerCall } from '../store/events.store.js';
import type { PaymentsEventName } from '../payments.events.js';
import { BackgroundRequests, PlatformWaits } from '../platform/background-requests.js';
import { PlatformClocks } from '../platform/platform-clock.js';
import { CreateAnswersService } from '../send/create-answers.service.js';
import { RecentRecords } from '../ledger/recent-records.js';
import { LedgerCommits, LedgerSignals } from '../ledger/ledger-commits.js';
import { Ledger } from '../ledger/ledger.js';
import type { LocalCalls } from '../store/ledger.store.js';
import { type Operation, type OperationKey, recordedFields } from '../store/operation.js';
import { OperationEvidenceService } from '../ledger/operation-evidence.service.js';
import { OperationKinds, type ShownResource, shownAs } from '../ledger/operation.kind.js';
import type { OperationsStore } from '../store/operations.store.js';
import { type PaymentEvidence, PaymentKind } from '../operations/payments/payment.kind.js';
import type { NewPayment, PaymentRecord } from '../operations/payments/payment.js';
import type { NewPaymentLink } from '../operations/payment-links/payment-link.js';
import { PaymentLinkKind } from '../operations/payment-links/payment-link.kind.js';
import { PayoutKind } from '../operations/payouts/payout.kind.js';
import { RefundKind } from '../operations/refunds/refund.kind.js';
import { AccountRegistry } from '../accounts/account-registry.js';
import type { PaymentsSettings } from '../accounts/payments.settings.js';
import type { PaymentsStore } from '../payments.store.js';
import type { IncomingPayment } from '../platform/resources/incoming-payments.service.js';
import type { Transaction } from '../money/transaction.js';
import { Runtime } from '../runtime/clock.js';
import { ShutdownSignal } from '../runtime/shutdown-signal.js';
import { DueWorkFinder } from '../queue/due-work-finder.js';
import {
  DueOperationsLoops,
  type SettledOperationsFollower,
} from '../round/settled-operations-follower.js';
import type { OverdueOperationsReconciler } from '../round/overdue-operations.js';
import { resolveSettings } from '../accounts/settings.reader.js';
import { OwnTills, TillLedger } from '../tills/till-ledger.js';
import { BareResultsService } from '../inbox/bare-results.service.js';
import type { CallbackUrls } from '../platform/callback-urls.js';
import { TillTransactionsService } from '../tills/till-transactions.service.js';
import type { ObservedTransaction } from '../ledger/arriving-delivery.js';
import { TransactionDifferences } from '../ledger/transaction-differences.js';

/** The settings of a module that sets only the required options. */
export const SETTINGS = resolveSettings(
  {
    baseUrl: 'https://platform.example',
    clientId: 'id',
    clientSecret: 'secret',
    publicUrl: 'https://shop.example',
    apiKeys: ['an-api-key-of-the-portal'],
  },
  () => undefined,
);

/** Names an operation of the account `default`. */
export function keyOf(id: string): OperationKey {
  return { account: 'default', id };
}

/** Returns a payment to be recorded, which nothing refuses. Each call makes one with another id and idempotency key. */
export function aNewPayment(changes: Partial<NewPayment> = {}): NewPayment {
  return {
    id: randomUUID(),
    account: 'default',
    kind: 'payment',
    idempotencyKey: randomUUID(),
    channel: 'M-PESA STK Push',
    tillNumber: '514459',
    tills: ['514459'],
    subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000001' },
    amount: { currency: 'KES', value: '100.00' },
    amountMinor: '10000',
    order: null,
    metadata: null,
    besides: [],
    inBackground: false,
    ...changes,
  };
}

/** Returns a payment as a store keeps it, in the state `pending`. */
export function aPaymentRecord(changes: Partial<PaymentRecord> = {}): PaymentRecord {
  return {
    ...aNewPayment(),
    ...recordedFields(0, 0),
    id: 'p',
    state: 'pending',
    platformId: 'x',
    sentAt: new Date(0),
    ...changes,
  } as PaymentRecord;
}

/** Returns the transaction of `aPaymentRecord`. */
export function aTransaction(changes: Partial<Transaction> = {}): Transaction {
  return {
    provenance: 'till',
    id: 't',
    type: 'Buygoods Transaction',
    kind: 'buygoods',
    amount: '100.0',
    currency: 'KES',
    status: 'Received',
    system: null,
    reference: 'ONE',
    tillNumber: '514459',
    originationTime: '2026-01-20T22:45:12+03:00',
    senderFirstName: null,
    senderMiddleName: null,
    senderLastName: null,
    senderPhoneNumber: '+254700000001',
    hashedSenderPhone: null,
    sendingTill: null,
    cardNumber: null,
    settled: null,
    raw: {},
    ...changes,
  };
}

/** Returns the incoming payment as the platform shows it. */
export function anIncomingPayment(
  id: string,
  status: string,
  resource: Transaction | null,
  errors: string[] = [],
): IncomingPayment {
  return {
    id,
    initiationTime: null,
    status,
    event: { type: null, resource, errors },
    metadata: null,
    links: { callbackUrl: null, self: null },
    raw: {},
  };
}

/** Returns the incoming payment after the customer has paid. */
export function aSuccess(id: string, transaction = aTransaction()): IncomingPayment {
  return anIncomingPayment(id, 'Success', transaction);
}

/** Returns an incoming payment as evidence. */
export function shownPayment(incomingPayment: IncomingPayment): ShownResource<PaymentEvidence> {
  return shownAs(incomingPayment, incomingPayment.event.resource);
}

/** Returns a transaction as a webhook reports it. */
export function anObservedTransaction(
  transaction = aTransaction(),
  changes: Partial<ObservedTransaction> = {},
): ObservedTransaction {
  return {
    account: 'default',
    via: 'webhook',
    transaction,
    reversal: transaction.status === 'Reversed',
    webhookEventId: null,
    announce: true,
    ...changes,
  };
}

/** The parts that apply evidence to the operations of a store. */
export interface LedgerUnderTest {
  store: PaymentsStore;
  ledger: Ledger<PaymentRecord>;
  answers: CreateAnswersService<PaymentRecord>;
  evidence: OperationEvidenceService<PaymentRecord>;
  commits: LedgerCommits;
  records: RecentRecords<PaymentRecord>;
  kinds: OperationKinds;
  operations: OperationsStore<PaymentRecord, NewPayment>;
  tills: TillLedger;
  /** Only its `commit()` exists. */
  bareResults: BareResultsService;
  signals: LedgerSignals;
  shutdown: ShutdownSignal;
  clocks: PlatformClocks;
  accounts: AccountRegistry;
  finder: DueWorkFinder;
  settings: PaymentsSettings;
}

/** Returns the service of transactions at tills of a process. */
export function tillTransactionsOf({
  store,
  tills,
  signals,
  clocks,
  accounts,
}: LedgerUnderTest): TillTransactionsService {
  return new TillTransactionsService(
    tills,
    store.transactions,
    store.operations,
    signals,
    clocks,
    new OwnTills(accounts, store.accounts),
    accounts,
  );
}

/** A process without listeners. */
const NO_CALLS: LocalCalls = { claimOf: () => undefined, written: () => undefined };

/** Returns resources of any account, of which a test makes only what it needs. */
export function resourcesWith(resources: {
  [Name in keyof AccountResources]?: unknown;
}): Resources {
  return { resources: () => resources } as unknown as Resources;
}

export function backgroundOf(
  { shutdown, accounts }: Pick<LedgerUnderTest, 'shutdown' | 'accounts'>,
  runtime: Runtime,
  waits = new PlatformWaits(accounts, runtime),
): BackgroundRequests {
  return new BackgroundRequests(waits, shutdown, accounts, runtime);
}

/** Returns the loops of a process that has some work done with its due operations, and no other. */
export function loopsOf(
  { store, signals, accounts, finder }: LedgerUnderTest,
  runtime: Runtime,
  work: OverdueOperationsReconciler | SettledOperationsFollower,
): DueOperationsLoops {
  const { claim, span } = work;
  const other = { name: 'other work', span, claim, concurrency: 0 } as never;
  const operations = store.operations as unknown as OperationsStore;
  return new DueOperationsLoops(
    work as never,
    other,
    operations,
    signals,
    accounts,
    finder,
    runtime,
  );
}

/** Returns the accounts of an application that has only these. */
export function accountsOf(...all: readonly PaymentsSettings[]): AccountRegistry {
  const accounts = new AccountRegistry();
  for (const settings of all) accounts.add(settings);
  return accounts;
}

export function aLedger(
  store: PaymentsStore,
  changes: Partial<PaymentsSettings> = {},
  runtime = new Runtime(),
  resources = resourcesWith({}),
): LedgerUnderTest {
  const settings = { ...SETTINGS, ...changes };
  const shutdown = new ShutdownSignal(runtime);
  const signals = new LedgerSignals(shutdown, runtime);
  const accounts = accountsOf(settings);
  const clocks = new PlatformClocks(runtime, accounts);
  const kinds = new OperationKinds([
    new PaymentKind(resources),
    new PayoutKind(resources),
    new RefundKind(resources),
    new PaymentLinkKind(resources),
  ]);
  const { transactions, anomalies } = store;
  const operations = paymentsIn(store);
  const differences = new TransactionDifferences(anomalies, accounts);
  const records = new RecentRecords<PaymentRecord>(runtime, kinds);
  const commits = new LedgerCommits(
    store.ledger,
    records as unknown as RecentRecords,
    signals,
    NO_CALLS,
    accounts,
  );
  const ledger = new Ledger<PaymentRecord>(
    operations,
    transactions,
    commits,
    anomalies,
    kinds,
    differences,
    accounts,
  );
  const answers = new CreateAnswersService(ledger, operations, anomalies, clocks, kinds, accounts);
  const tills = new TillLedger(
    store.operations,
    transactions,
    commits,
    kinds,
    differences,
    new OwnTills(accounts, store.accounts),
    accounts,
  );
  const evidence = new OperationEvidenceService(ledger, kinds, tills, clocks);
  return {
    store,
    operations,
    kinds,
    ledger,
    commits,
    records,
    answers,
    evidence,
    bareResults: new BareResultsService(
      transactions,
      store.bareRequests,
      commits,
      anomalies,
      {} as CallbackUrls,
      {} as BackgroundRequests,
      resourcesWith({ settings: { current: settings } }),
    ),
    tills,
    signals,
    shutdown,
    clocks,
    accounts,
    finder: new DueWorkFinder(store.dueWork, accounts, runtime),
    settings,
  };
}

/** Applies what the platform shows about a payment. Resolves with the payment after it. */
export async function applied(
  { ledger, evidence }: LedgerUnderTest,
  key: OperationKey,
  incomingPayment: IncomingPayment,
  via: 'callback' | 'status',
): Promise<PaymentRecord> {
  return evidence.apply(await ledger.find(key), shownPayment(incomingPayment), via);
}

/** Returns the operations of a store that has only payments. */
function paymentsIn({ operations }: PaymentsStore): OperationsStore<PaymentRecord, NewPayment> {
  return operations as unknown as OperationsStore<PaymentRecord, NewPayment>;
}

/** Returns a payment that is recorded and was not sent. */
export async function aRecordedPayment(
  store: PaymentsStore,
  changes: Partial<NewPayment> = {},
  sendBeforeMs = 60_000,
): Promise<PaymentRecord> {
  const result = await paymentsIn(store).record(aNewPayment(changes), { sendBeforeMs });
  if (result.kind !== 'recorded') throw new Error(result.kind);
  return result.operation;
}

/** Returns a payment that was sent and has no answer yet. */
export async function aRequestedPayment(
  { store, answers }: LedgerUnderTest,
  changes: Partial<NewPayment> = {},
): Promise<PaymentRecord> {
  const recorded = await aRecordedPayment(store, changes);
  const requested = await answers.markRequested(recorded, 'one');
  if (!requested) throw new Error('another process was faster');
  return requested;
}

/** Returns a payment that was sent and has the platform's id. */
export async function aPendingPayment(
  under: LedgerUnderTest,
  platformId: string,
  changes: Partial<NewPayment> = {},
): Promise<PaymentRecord> {
  const requested = await aRequestedPayment(under, changes);
  return under.answers.apply(requested, { kind: 'created', id: platformId });
}

/** Returns a payment that was sent and whose answer never came. */
export async function anUnknownPayment(
  under: LedgerUnderTest,
  changes: Partial<NewPayment> = {},
): Promise<PaymentRecord> {
  return under.answers.giveUp(await aRequestedPayment(under, changes));
}

/** Returns the kinds of all recorded anomalies. */
export async function anomaliesIn({ anomalies }: PaymentsStore): Promise<string[]> {
  const listed = await anomalies.list('default');
  return [...new Set(listed.flatMap(({ examples }) => examples.map(({ what }) => what)))];
}

/** Registers the listener `shop` for events. */
export async function listen(
  { events }: PaymentsStore,
  ...names: readonly PaymentsEventName[]
): Promise<void> {
  await events.registerListeners(
    'default',
    names.map((event) => ({ event, listener: 'shop' })),
    'start',
  );
}

/** Claims the calls of the listener `shop`: the first call of each stream. */
export function claimCalls({ events }: PaymentsStore): Promise<ListenerCall[]> {
  return events.claimCalls(
    [{ account: 'default', most: 10, listeners: [{ id: 'shop', most: 10 }] }],
    10,
    1_000,
  );
}

/** Claims and completes all calls of the listener `shop`. Resolves with them; those of one stream are in order. */
export async function completeCalls(store: PaymentsStore): Promise<ListenerCall[]> {
  const completed: ListenerCall[] = [];
  for (;;) {
    const calls = await claimCalls(store);
    if (calls.length === 0) return completed;
    for (const call of calls) await store.events.finishCall(call, { kind: 'done' });
    completed.push(...calls);
  }
}

/** Returns a payment link of KES 100 that the platform has: `link-N`, and `pl-N` there. */
export async function aPendingLink(
  { store, answers }: LedgerUnderTest,
  n: number,
): Promise<Operation> {
  const id = `link-${n}`;
  const operation: NewPaymentLink = {
    id,
    account: 'default',
    kind: 'payment_link',
    idempotencyKey: id,
    amount: { currency: 'KES', value: '100.00' },
    amountMinor: '10000',
    tills: ['514459'],
    besides: [],
    inBackground: false,
    tillNumber: '514459',
    order: null,
    paymentReference: null,
    note: null,
    metadata: null,
    requestedBy: null,
  };
  const recorded = await store.operations.record(operation, { sendBeforeMs: 60_000 });
  if (!('operation' in recorded)) throw new Error(recorded.kind);
  // These parts are typed for payments, and treat every kind alike.
  const requested = await answers.markRequested(recorded.operation as never, 's');
  return answers.apply(requested!, { kind: 'created', id: `pl-${n}` });
}
