import { Inject, Injectable } from '@nestjs/common';
import {
  concatMap,
  defer,
  distinctUntilChanged,
  filter,
  firstValueFrom,
  interval,
  merge,
  NEVER,
  Observable,
  of,
  takeUntil,
  takeWhile,
  timeout,
} from 'rxjs';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import {
  IdempotencyConflictError,
  PaymentInFlightError,
  PaymentNotFoundError,
  PaymentNotResolvableError,
  SettleTimeoutError,
} from '../payments.errors.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { CallbackUrls } from '../resources/callback-urls.js';
import { IncomingPaymentsService } from '../resources/incoming-payments/incoming-payments.service.js';
import { validateInput } from '../resources/validate-input.js';
import { toMinorUnits } from '../values/money.js';
import { canonicalTill } from '../values/till-number.js';
import { Runtime } from '../runtime/runtime.js';
import { LedgerFeed } from './ledger.feed.js';
import { Ledger } from './ledger.js';
import { fingerprint } from './payment.fingerprint.js';
import { toPayment, type Payment, type PaymentRecord } from './payment.js';
import { PaymentSender } from './payment.sender.js';
import { isSettled } from './payment.states.js';
import { PaymentsStore, type HostTransaction, type StoredHistoryEntry } from './payments.store.js';
import { ReconciliationReporter, type ReconciliationReport } from './reconciliation.report.js';
import { RequestPayment } from './request-payment.dto.js';
import { reviewedTransaction, type Resolution } from './review.js';
import { toTillTransaction, type TillTransaction } from './till-transaction.js';

/** A recorded payment that its own process has not sent by then is sent by whoever finds it. */
const SEND_GRACE_MS = 5_000;

/** How often a watched payment is looked up where other replicas may change it. */
const WATCH_INTERVAL_MS = 500;

/** Default patience of `settled()`. */
const SETTLE_TIMEOUT_MS = 120_000;

/**
 * The ledger of payments: asks customers for money, once, and knows what became of it. What it learns it tells as events,
 * see `@OnPaymentEvent`.
 * @publicApi
 */
@Injectable()
export class PaymentsService {
  constructor(
    private readonly store: PaymentsStore,
    private readonly ledger: Ledger,
    private readonly sender: PaymentSender,
    private readonly feed: LedgerFeed,
    private readonly incomingPayments: IncomingPaymentsService,
    private readonly urls: CallbackUrls,
    private readonly reporter: ReconciliationReporter,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Prompts a customer on the phone, and resolves as soon as that is sent, in whatever state it left the payment:
   * `pending`, `failed` when it was certainly not accepted, `unknown` when nobody can tell yet. It throws only before
   * anything is recorded. The outcome comes as `payment.succeeded` or `payment.failed`.
   *
   * The same idempotency key never prompts twice, from any replica, also after a restart.
   * @example
   * const payment = await payments.request({
   *   idempotencyKey: `order-${order.id}`,
   *   subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000001' },
   *   amount: { currency: 'KES', value: '100.00' },
   * });
   * @throws PaymentsValidationError naming each field that is wrong
   * @throws IdempotencyConflictError when the key belongs to another request
   * @throws PaymentInFlightError when the same customer is being asked for the same amount already
   */
  async request(input: RequestPayment): Promise<Payment> {
    const recorded = await this.recordOnce(input, { dueInMs: SEND_GRACE_MS });
    return toPayment(recorded.isNew ? await this.sender.send(recorded.payment) : recorded.payment);
  }

  /**
   * Records a payment inside the host's own database transaction. It is sent after the commit; a rollback leaves no
   * prompt. Resolves with the payment as `created`.
   * @param options.transaction the open transaction; without one the payment is recorded at once and sent in the background
   * @throws the same errors as `request`
   */
  async record(
    input: RequestPayment,
    options: { transaction?: HostTransaction } = {},
  ): Promise<Payment> {
    const recorded = await this.recordOnce(input, { dueInMs: 0, ...options });
    this.feed.due$.next();
    return toPayment(recorded.payment);
  }

  /** A payment by its id. */
  async find(id: string): Promise<Payment | null> {
    return nullable(await this.store.findPayment(this.options.account, id));
  }

  /** A payment by the key it was asked for with. */
  async findByIdempotencyKey(key: string): Promise<Payment | null> {
    return nullable(await this.store.findPaymentByIdempotencyKey(this.options.account, key));
  }

  /** A transaction of a till, with the ids of its webhook events, which an SMS notification refers to. */
  async findTransaction(key: {
    reference: string;
    tillNumber: string;
  }): Promise<TillTransaction | null> {
    const tillKey = canonicalTill(key.tillNumber, this.options.tillAliases);
    const record = await this.store.findTransaction(this.options.account, {
      reference: key.reference.trim(),
      tillKey,
    });
    return record && toTillTransaction(record);
  }

  /** What happened to a payment, in order, each with the road by which the news came. */
  async history(id: string): Promise<StoredHistoryEntry[]> {
    return this.store.paymentHistory(this.options.account, id);
  }

  /**
   * Resolves when the payment is `succeeded`, `failed`, `reversed` or `needs_review`.
   * @param options.timeoutMs milliseconds to wait. @default 120000
   * @throws SettleTimeoutError after that; the payment itself goes on
   * @throws PaymentNotFoundError
   */
  async settled(
    id: string,
    { timeoutMs = SETTLE_TIMEOUT_MS }: { timeoutMs?: number } = {},
  ): Promise<Payment> {
    const settled$ = this.watch(id).pipe(filter(({ state }) => isSettled(state)));
    const startedAt = this.runtime.elapsed();
    const timedOut = async (): Promise<never> => {
      const payment = await this.find(id);
      const waitedMs = Math.round(this.runtime.elapsed() - startedAt);
      throw new SettleTimeoutError(id, payment?.state ?? 'unknown', waitedMs);
    };
    const settled = settled$.pipe(timeout({ first: timeoutMs, with: () => defer(timedOut) }));
    // The stream ends without a word when the application closes.
    return (await firstValueFrom(settled, { defaultValue: null })) ?? timedOut();
  }

  /**
   * The payment now and after each change, for `@Sse()`. Completes when it is final, or when the application closes; a
   * payment in review stays watched. An id that is not there is an error of the stream.
   */
  watch(id: string): Observable<Payment> {
    const looks$ = this.store.shared ? interval(WATCH_INTERVAL_MS) : NEVER;
    return merge(of(null), this.feed.changesOf(id), looks$).pipe(
      concatMap(() => this.current(id)),
      distinctUntilChanged(isSame),
      takeWhile(({ state }) => !isFinal(state), true),
      takeUntil(this.feed.closing$),
    );
  }

  /**
   * A person's word on a payment in review. It is written to the payment's history, and fires the one event that is due
   * with `via: 'review'`.
   * @param word.by who decided, for the history
   * @param word.reference reference of the transaction that paid, when the payment does not know one yet
   * @throws PaymentNotResolvableError when the payment does not wait for a person
   */
  async resolve(id: string, word: Resolution): Promise<Payment> {
    const payment = await this.store.findPayment(this.options.account, id);
    if (!payment) throw new PaymentNotFoundError(id);
    if (payment.state !== 'needs_review') {
      throw new PaymentNotResolvableError(id, `it is ${payment.state}, not needs_review`);
    }
    const transaction = await reviewedTransaction(payment, word, this.store);
    const note = `resolved as ${word.state} by ${word.by}: ${word.note}`;
    const resolved = await this.ledger.resolve(id, { state: word.state, note, transaction });
    if (resolved.state !== word.state) {
      throw new PaymentNotResolvableError(id, `it became ${resolved.state} meanwhile`);
    }
    return toPayment(resolved);
  }

  /**
   * Compares what we know with what the platform lists in a window: matched, missing here, missing there, different. Reads
   * only; what is missing here is found by sweeps, and told by them.
   * @throws PaymentsError when the platform cannot be read whole: half a report would look like missing money
   */
  async reconcile(window: { from: Date; to: Date }): Promise<ReconciliationReport> {
    return this.reporter.report(window.from, window.to);
  }

  /** The URL to give to the platform's portal, or to a subscription, for webhooks. It is a secret where it is signed. */
  webhookUrl(): string {
    return this.urls.webhook();
  }

  private async recordOnce(
    input: RequestPayment,
    { dueInMs, transaction }: { dueInMs: number; transaction?: HostTransaction },
  ): Promise<{ payment: PaymentRecord; isNew: boolean }> {
    const checked = validateInput(RequestPayment, input);
    const { idempotencyKey, allowParallel = false } = checked;
    const complete = this.incomingPayments.complete(checked, '');
    const { account, tillAliases, sending } = this.options;
    const print = fingerprint(complete);
    const result = await this.store.recordPayment(
      {
        id: this.runtime.id(),
        account,
        idempotencyKey,
        fingerprint: print,
        channel: complete.paymentChannel,
        tillNumber: complete.tillNumber,
        tillKey: canonicalTill(complete.tillNumber, tillAliases),
        subscriber: complete.subscriber,
        amount: complete.amount,
        amountMinor: String(toMinorUnits(complete.amount.value, complete.amount.currency)),
        metadata: complete.metadata ?? null,
        allowParallel,
      },
      { sendBeforeMs: sending.sendBeforeMs, dueInMs, ...(transaction && { transaction }) },
    );
    if (result.kind === 'in_flight') throw new PaymentInFlightError(result.paymentId);
    if (result.kind === 'existing' && result.payment.fingerprint !== print) {
      throw new IdempotencyConflictError(idempotencyKey, result.payment.id);
    }
    return { payment: result.payment, isNew: result.kind === 'recorded' };
  }

  private async current(id: string): Promise<Payment> {
    const payment = await this.find(id);
    if (!payment) throw new PaymentNotFoundError(id);
    return payment;
  }
}

function nullable(record: PaymentRecord | null): Payment | null {
  return record && toPayment(record);
}

function isFinal(state: Payment['state']): boolean {
  return isSettled(state) && state !== 'needs_review';
}

function isSame(one: Payment, other: Payment): boolean {
  return (
    one.state === other.state && one.cause === other.cause && one.platformId === other.platformId
  );
}
