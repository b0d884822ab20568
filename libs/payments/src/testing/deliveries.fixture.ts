import { randomUUID } from 'node:crypto';
import { BareResultsService } from '../inbox/bare-results.service.js';
import { DeliveryClaims, DeliveryProcessor } from '../inbox/delivery-processor.js';
import { MessageApplier } from '../inbox/message-applier.js';
import { CallbackResultsService } from '../inbox/callback-results.service.js';
import { ImmediateApplier, Inbox, type VerifiedDelivery } from '../inbox/inbox.service.js';
import {
  type WebhookConfirmations,
  WebhookTransactionsService,
} from '../inbox/webhook-transactions.service.js';
import { WebhookNoticesService } from '../inbox/webhook-notices.service.js';
import type { RecentRecords } from '../ledger/recent-records.js';
import type { NewDelivery } from '../store/deliveries.store.js';
import type { CallbackUrls } from '../platform/callback-urls.js';
import type { Resources } from '../platform/resources.js';
import type { Transaction } from '../money/transaction.js';
import type { Runtime } from '../runtime/clock.js';
import {
  type LedgerUnderTest,
  resourcesWith,
  backgroundOf,
  tillTransactionsOf,
} from './ledger.fixture.js';

const HANDED_OUT = 'https://shop.test/payments';

/** Returns the callback URL of an operation or a bare request. */
export function callbackUrlOf(id: string, resource = 'incoming-payments'): string {
  return `${HANDED_OUT}/callbacks/${resource}/${id}`;
}

/** URLs that differ from those of `callbackUrlOf` were not handed out by the present settings. */
const URLS = {
  isHandedOut: (_: string, __: string, url: string, isSigned: boolean) =>
    isSigned || url.includes(HANDED_OUT),
} as unknown as CallbackUrls;

/** Returns a delivery as the guard lets it pass: by default a signed callback. */
export function aDelivery(body: unknown, changes: Partial<VerifiedDelivery> = {}): NewDelivery {
  return {
    id: randomUUID(),
    account: 'default',
    key: randomUUID(),
    kind: 'callback',
    resource: 'incoming-payments',
    resourceId: 'p',
    verifiedBy: 'signature',
    body: Buffer.from(JSON.stringify(body)),
    ...changes,
  };
}

/** Returns the signed webhook of a transaction. */
export function aWebhook(transaction: Transaction): NewDelivery {
  const resource = {
    id: transaction.id,
    amount: transaction.amount,
    currency: transaction.currency,
    status: transaction.status,
    reference: transaction.reference,
    till_number: transaction.tillNumber,
    origination_time: transaction.originationTime,
    sender_phone_number: transaction.senderPhoneNumber,
  };
  const event = { type: transaction.type, resource };
  const what = transaction.status === 'Reversed' ? 'reversed' : 'received';
  const body = { topic: `buygoods_transaction_${what}`, id: randomUUID(), event };
  return aDelivery(body, { kind: 'webhook', resource: null, resourceId: null });
}

/** The parts that take in, store and process deliveries. */
export interface DeliveriesUnderTest {
  inbox: Inbox;
  immediate: ImmediateApplier;
  processor: DeliveryProcessor;
  bareResults: BareResultsService;
}

/** @param results replaces the part that applies results */
export function deliveriesOf(
  under: LedgerUnderTest,
  runtime: Runtime,
  resources: Resources = resourcesWith({}),
  results = resultsOf(under, runtime),
): DeliveriesUnderTest {
  const { store, signals, shutdown, accounts, commits } = under;
  const transactions = tillTransactionsOf(under);
  const background = backgroundOf(under, runtime);
  // Only webhooks without a signature are confirmed.
  const confirmations = {} as WebhookConfirmations;
  const bareResults = new BareResultsService(
    store.transactions,
    store.bareRequests,
    commits,
    store.anomalies,
    URLS,
    background,
    resourcesWith({
      ...(resources.resources('default') as object),
      settings: { current: under.settings },
    }),
  );
  const applier = new MessageApplier(
    results,
    bareResults,
    new WebhookTransactionsService(transactions, store.transactions, confirmations, accounts),
    new WebhookNoticesService(store.anomalies, commits, store.ledger, resources, background),
    store.anomalies,
    accounts,
    runtime,
  );
  const processor = new DeliveryProcessor(
    store.deliveries,
    new DeliveryClaims(store.deliveries, store.anomalies, commits, applier, accounts, runtime),
    signals,
    shutdown,
    accounts,
    under.clocks,
    under.finder,
    runtime,
  );
  const records = under.records as unknown as RecentRecords;
  const immediate = new ImmediateApplier(
    applier,
    records,
    under.operations,
    commits,
    signals,
    accounts,
    runtime,
  );
  const inbox = new Inbox(store.deliveries, immediate, processor, accounts, under.clocks, runtime);
  return { inbox, immediate, processor, bareResults };
}

function resultsOf(under: LedgerUnderTest, runtime: Runtime): CallbackResultsService {
  const { operations, kinds, evidence, signals, clocks } = under;
  return new CallbackResultsService(
    operations,
    kinds,
    evidence,
    signals,
    URLS,
    backgroundOf(under, runtime),
    clocks,
  );
}
