import { Inject, Injectable } from '@nestjs/common';
import { filter, firstValueFrom, Observable, Subject, takeUntil } from 'rxjs';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import {
  IdempotencyConflictError,
  PaymentInFlightError,
  PaymentNotFoundError,
  PaymentOutcomeUnknownError,
  PaymentsValidationError,
  SettleTimeoutError,
  StoreUnavailableError,
} from '../payments.errors.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { CallbackUrls } from '../resources/callback-urls.js';
import { IncomingPaymentsService } from '../resources/incoming-payments/incoming-payments.service.js';
import { validateInput } from '../resources/validate-input.js';
import { toMinorUnits } from '../values/money.js';
import { joinedTills } from '../values/till-number.js';
import { Runtime } from '../runtime/runtime.js';
import { LedgerFeed } from './ledger.feed.js';
import { Ledger } from './ledger.js';
import { toPayment, type Payment, type PaymentRecord } from './payment.js';
import { PaymentSender } from './payment.sender.js';
import { PaymentWatcher } from './payment.watcher.js';
import { isSettled } from './payment.states.js';
import {
  PaymentsStore,
  type HostTransaction,
  type NewPayment,
  type StoredHistoryEntry,
} from './payments.store.js';
import { ReconciliationReporter, type ReconciliationReport } from './reconciliation.report.js';
import { RequestPayment } from './request-payment.dto.js';
import type { Resolution } from './review.js';
import { isSameRequest } from './same-request.js';
import { sumOf, toTillTransaction, type TillTransaction } from './till-transaction.js';

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
   * `pending`, `failed` when it was certainly not accepted, `unknown` when nobody can tell yet. The outcome comes as
   * `payment.succeeded` or `payment.failed`.
   *
   * The same idempotency key never prompts twice, from any replica, also after a restart. The customer is prompted only while
   * this call lives: once it has thrown, nothing is sent for its key unless you ask again with it.
   * @example
   * const payment = await payments.request({
   *   idempotencyKey: `order-${order.id}`,
   *   subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000001' },
   *   amount: { currency: 'KES', value: '100.00' },
   * });
   * @throws PaymentsValidationError naming each field that is wrong
   * @throws IdempotencyConflictError when the key belongs to another request
   * @throws PaymentInFlightError when the same customer is being asked for the same amount already
   * @throws PaymentOutcomeUnknownError when the store did not answer in time: ask again with the same key, never with a new one
   */
  async request(input: RequestPayment): Promise<Payment> {
    return this.certain(input, async () => {
      const payment = await this.recordOnce(input, { inBackground: false });
      // A repeat while it is `created` sends it as well: whoever is first, and one of them only.
      const mine = payment.state === 'created' && !payment.inBackground;
      return toPayment(
        mine && payment.sendWithinMs > 0 ? await this.sender.send(payment) : payment,
      );
    });
  }

  /**
   * Records a payment inside the host's own database transaction. It is sent in the background after the commit, within
   * `sending.sendBeforeMs`; a rollback leaves no prompt. Resolves with the payment as `created`. When you do not know
   * whether your COMMIT was made, record it again with the same key.
   * @param options.transaction the open transaction; outside of one, use `request()`
   * @throws the same errors as `request`; your transaction must then be rolled back
   */
  async record(input: RequestPayment, options: { transaction: HostTransaction }): Promise<Payment> {
    const { transaction } = (options as typeof options | undefined) ?? {};
    if (!transaction) {
      throw new PaymentsValidationError([
        {
          field: 'transaction',
          problem:
            'is missing: record() writes inside your own database transaction. Outside one, use request()',
        },
      ]);
    }
    return this.certain(input, async () => {
      const payment = await this.recordOnce(input, { inBackground: true, transaction });
      this.feed.due$.next();
      return toPayment(payment);
    });
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
    const reference = key.reference.trim();
    const record = await this.store.findTransaction(this.options.account, reference);
    const till = key.tillNumber.trim();
    const sum = sumOf(record, { reference, till }, this.options.tillAliases);
    return sum && toTillTransaction(sum);
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
    const startedAt = this.runtime.elapsed();
    const late$ = new Subject<void>();
    const cancel = this.runtime.timer(timeoutMs, () => late$.next());
    const settled$ = this.watch(id).pipe(
      filter(({ state }) => isSettled(state)),
      takeUntil(late$),
    );
    try {
      const payment = await firstValueFrom(settled$, { defaultValue: null });
      if (payment) return payment;
    } finally {
      cancel();
    }
    // Late, or the stream ended without a word because the application closes.
    const payment = await this.find(id).catch(() => null);
    const waitedMs = Math.round(this.runtime.elapsed() - startedAt);
    throw new SettleTimeoutError(id, payment?.state ?? 'unknown', waitedMs);
  }

  /**
   * The payment now and after each change, for `@Sse()`. Completes when it is final, or when the application closes; a
   * payment in review stays watched. An id that is not there is an error of the stream; a store that is away for a while is
   * not: the stream goes on when it is back. Whoever reads slowly misses states in between, never the last one.
   */
  watch(id: string): Observable<Payment> {
    return new Observable<Payment>((subscriber) => {
      const watcher = new PaymentWatcher(this.runtime, () => this.current(id), {
        everyMs: this.store.shared ? WATCH_INTERVAL_MS : null,
      });
      const changes = this.feed.changesOf(id).subscribe(() => watcher.look());
      const closing = this.feed.closing$.subscribe(() => subscriber.complete());
      watcher.start(subscriber);
      return () => {
        changes.unsubscribe();
        closing.unsubscribe();
        watcher.stop();
      };
    });
  }

  /**
   * A person's decision on a payment in review. It is written to the payment's history, and emits the one event that is due
   * with `via: 'review'`. A payment has one `payment.failed` at most: where it failed before the review, `failed` emits nothing
   * more. A transaction that is named becomes the payment's own with it.
   * @param decision.by who decided, for the history
   * @param decision.reference reference of the transaction that paid, when the payment does not know one yet
   * @throws PaymentNotResolvableError when the payment is not in review (any more), the transaction is another payment's, or its
   *   money went back and the decision says that it is there
   */
  async resolve(id: string, decision: Resolution): Promise<Payment> {
    if (!(await this.store.findPayment(this.options.account, id)))
      throw new PaymentNotFoundError(id);
    return toPayment(await this.ledger.resolve(id, decision));
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
    { inBackground, transaction }: { inBackground: boolean; transaction?: HostTransaction },
  ): Promise<PaymentRecord> {
    const checked = validateInput(RequestPayment, input);
    const { idempotencyKey, allowParallel = false } = checked;
    const complete = this.incomingPayments.complete(checked, '');
    const { account, tillAliases, sending } = this.options;
    const request: NewPayment = {
      id: this.runtime.id(),
      account,
      idempotencyKey,
      channel: complete.paymentChannel,
      tillNumber: complete.tillNumber,
      tills: joinedTills(complete.tillNumber, tillAliases),
      subscriber: complete.subscriber,
      amount: complete.amount,
      amountMinor: String(toMinorUnits(complete.amount.value, complete.amount.currency)),
      metadata: complete.metadata ?? null,
      allowParallel,
      inBackground,
    };
    const { sendBeforeMs } = sending;
    const result = await this.store.recordPayment(request, {
      sendBeforeMs,
      ...(transaction && { transaction }),
    });
    if (result.kind === 'in_flight') throw new PaymentInFlightError(result.paymentId);
    if (result.kind === 'existing' && !isSameRequest(result.payment, request)) {
      throw new IdempotencyConflictError(idempotencyKey, result.payment.id);
    }
    return result.payment;
  }

  /** Says of a store that failed in the middle what that means for the payment, and what to do. */
  private async certain<T>(input: RequestPayment, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof StoreUnavailableError)
        throw new PaymentOutcomeUnknownError(input.idempotencyKey, error);
      throw error;
    }
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
