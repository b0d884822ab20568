import type { Payout, PayoutRecord, RequestPayout } from '../operations/payouts/payout.js';
import { PayoutsService } from '../operations/payouts/payouts.service.js';
import type { RefundRecord } from '../operations/refunds/refund.js';
import { ReviewsService } from '../operations/reviews.service.js';
import type { OperationRecord } from '../operations/operation-forms.js';
import { RefundsService } from '../operations/refunds/refunds.service.js';
import { readEnvelope } from '../platform/wire-value.js';
import { readResource } from '../platform/resource-table.js';
import { REVERSAL, type Reversal } from '../platform/resources/reversals.service.js';
import type { SendMoneyDestination } from '../platform/resources/create-send-money.dto.js';
import { MemoryStore } from '../memory/memory.store.js';
import type { PayoutOptions } from '../accounts/payments.settings.js';
import { FAILURE_STANDS_AFTER_MS } from '../ledger/decisions.js';
import type { CreateOutcome } from '../platform/sending.js';
import {
  aLedger,
  anIncomingPayment,
  anObservedTransaction,
  aPendingPayment,
  applied,
  aSuccess,
  aTransaction,
  keyOf,
  resourcesWith,
  type LedgerUnderTest,
} from './ledger.fixture.js';
import { MovedRuntime } from './moved.runtime.js';
import { READY, partsOf } from './operation-parts.fixture.js';
import { aDisbursement, aSendMoney, aWallet } from './payouts.fixture.js';

export const HOUR = 60 * 60_000;
export const DAY = 24 * HOUR;

/** A second destination, of KES 200. */
export const THE_OTHER = aWallet('200', '+254700000002');

/** Returns a disbursement to `THE_OTHER`. */
export const toTheOther = (status: string, changes = {}): ReturnType<typeof aDisbursement> =>
  aDisbursement(status, { amount: '200.0', phone_number: '254700000002', ...changes });

/** Returns a payout that Jane asks for: KES 100 to a wallet, unless a test says to whom. */
export function asked(key: string, ...to: readonly SendMoneyDestination[]): RequestPayout {
  const destinations = (to.length > 0 ? to : [aWallet()]) as never;
  return { idempotencyKey: key, currency: 'KES', destinations, requestedBy: 'jane' };
}

/** Returns a reversal as the platform shows it. */
export function aReversal(attributes: object): Reversal {
  const data = { id: 'platform-1', type: 'reversal', attributes };
  return readResource(REVERSAL, readEnvelope({ data })!);
}

/** A process that sends payouts and refunds to a platform that takes all of them. */
export class MoneyOut {
  readonly runtime = new MovedRuntime();
  readonly store = new MemoryStore(() => this.runtime.now());
  readonly sent: unknown[] = [];
  /** The platform shows these for the ids that it gave; an error is thrown by the read. An id without an entry has no outcome. */
  readonly shown = new Map<string, object>();
  /** When set, the platform gives this answer to a create, and carries out nothing. */
  answer: CreateOutcome | null = null;
  under!: LedgerUnderTest;
  payouts!: PayoutsService;
  refunds!: RefundsService;
  reviews!: ReviewsService;

  constructor(options: PayoutOptions = {}) {
    this.open(options);
  }

  /** The process begins again, with other limits. */
  open(options: PayoutOptions): this {
    const { runtime, store, sent } = this;
    const post = (request: unknown): Promise<CreateOutcome> => {
      sent.push(request);
      return Promise.resolve(this.answer ?? { kind: 'created', id: `platform-${sent.length}` });
    };
    const get = (none: () => object) => (id: string) => {
      const shown = this.shown.get(id) ?? none();
      return shown instanceof Error ? Promise.reject(shown) : Promise.resolve({ ...shown, id });
    };
    const resources = resourcesWith({
      ...READY,
      sendMoney: { post, get: get(() => aSendMoney(null)) },
      reversals: { post, get: get(() => aReversal({})) },
      incomingPayments: { get: get(() => anIncomingPayment('', 'Pending', null)) },
    });
    this.under = aLedger(store, { payouts: options }, runtime, resources);
    const { settings, clocks } = this.under;
    const current = { current: settings };
    const payoutParts = partsOf<PayoutRecord>(this.under, runtime, resources);
    this.payouts = new PayoutsService(...payoutParts, current);
    const refundParts = partsOf<RefundRecord>(this.under, runtime, resources);
    this.refunds = new RefundsService(...refundParts, current, store.transactions, clocks);
    const [operations, ledger, , watched] = partsOf<OperationRecord>(
      this.under,
      runtime,
      resources,
    );
    this.reviews = new ReviewsService(operations, ledger, watched, current);
    return this;
  }

  close(): void {
    this.under.shutdown.close();
  }

  /** Returns the transaction `ONE` of this moment. */
  transaction(changes = {}): ReturnType<typeof aTransaction> {
    const originationTime = new Date(this.runtime.now()).toISOString();
    return aTransaction({ originationTime, ...changes });
  }

  /** The till receives `transaction()`. */
  receives(changes = {}): Promise<unknown> {
    return this.under.tills.observe(anObservedTransaction(this.transaction(changes)));
  }

  /** Returns the id of a payment that `transaction()` paid. */
  async paidPayment(): Promise<string> {
    const { id } = await aPendingPayment(this.under, 'paid');
    await applied(this.under, keyOf(id), aSuccess('paid', this.transaction()), 'status');
    return id;
  }

  /** Nothing proves what became of an operation, so a person must say it. */
  noEvidence(id: string): Promise<unknown> {
    return this.under.ledger.review(keyOf(id), 'no_evidence', 'late');
  }

  /** The platform shows a payout with these disbursements. */
  async shows(
    id: string,
    disbursements: Parameters<typeof aSendMoney>[0],
    via: 'callback' | 'status' = 'callback',
    more = {},
  ): Promise<Payout | null> {
    this.later(via);
    const content = aSendMoney(disbursements, more);
    const payout = await this.under.ledger.find(keyOf(id));
    const platformId = payout.platformId ?? content.id;
    this.shown.set(platformId, content);
    const shown = { platformId, callbackUrl: null, transaction: null, content };
    await this.under.evidence.apply(payout, shown, via);
    return this.payouts.find(id);
  }

  /** The platform shows a refund. @param changes how the record differs from what is stored */
  async showsRefund(
    id: string,
    attributes: object,
    { via = 'callback' as 'callback' | 'status', platformId = 'platform-1', changes = {} } = {},
  ): Promise<void> {
    this.later(via);
    const refund = { ...(await this.under.ledger.find(keyOf(id))), ...changes };
    const content = { ...aReversal(attributes), id: platformId };
    this.shown.set(platformId, content);
    const shown = { platformId, callbackUrl: null, transaction: null, content };
    await this.under.evidence.apply(refund, shown, via);
  }

  /** A read comes so late that it confirms a failure. Every answer tells the platform's time. */
  private later(via: 'callback' | 'status'): void {
    if (via === 'status') this.runtime.advance(FAILURE_STANDS_AFTER_MS);
    const now = this.runtime.now();
    this.under.clocks.clock('default').observe(new Date(now).toUTCString(), now, now);
  }

  /** Redacts as retention does after these days. */
  async redactAfter(days: number, personalDataDays = 7): Promise<void> {
    this.runtime.advance(days * DAY);
    await this.store.retention.apply('default', {
      personalDataMs: personalDataDays * DAY,
      dedupeForMs: 1_000 * DAY,
      pendingRedactedAfterMs: 30 * DAY,
      limit: 100,
    } as never);
  }
}
