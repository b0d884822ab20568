import { Inject, Injectable } from '@nestjs/common';
import {
  distinctUntilChanged,
  filter,
  firstValueFrom,
  map,
  Subject,
  takeUntil,
  takeWhile,
  type Observable,
} from 'rxjs';
import type { HostTransaction } from '../../ledger/host-transaction.js';
import { Ledger } from '../../ledger/ledger.js';
import { LedgerSignals } from '../../ledger/ledger.signals.js';
import type { StoredHistoryEntry } from '../../ledger/ledger.store.js';
import { isSettled } from '../../ledger/operation.states.js';
import { OperationsStore } from '../../ledger/operations.store.js';
import type { Resolution } from '../../ledger/resolution.js';
import { WatchedOperations } from '../../ledger/watched-operations.js';
import {
  IdempotencyConflictError,
  PaymentInFlightError,
  PaymentNotFoundError,
  PaymentOutcomeUnknownError,
  PaymentsValidationError,
  SettleTimeoutError,
  StoreUnavailableError,
} from '../../payments.errors.js';
import { PAYMENTS_SETTINGS, type PaymentsSettings } from '../../payments.settings.js';
import { Resources } from '../../resources/resources.js';
import { validateInput } from '../../resources/validate-input.js';
import { WATCHING } from '../../runtime/backoff.js';
import { Runtime } from '../../runtime/runtime.js';
import { toTillTransaction, type TillTransaction } from '../../transactions/transaction.record.js';
import { sumOf } from '../../transactions/transaction.sameness.js';
import { TransactionsStore } from '../../transactions/transactions.store.js';
import { toMinorUnits } from '../../values/money.js';
import { joinedTills } from '../../values/till-number.js';
import { toPayment, type NewPayment, type Payment, type PaymentRecord } from './payment.js';
import { PaymentSender } from './payment.sender.js';
import { RequestPayment } from './request-payment.dto.js';
import { isSameRequest } from './same-request.js';
import { Concealed } from '../../values/concealed.decorator.js';

/**
 * Money in: asks a customer for a payment, once, and keeps what became of it. Outcomes come as events, see `@OnPaymentEvent`.
 * @see docs/promises.md
 * @publicApi
 */
@Injectable()
@Concealed()
export class PaymentsService {
  constructor(
    private readonly operationsStore: OperationsStore<PaymentRecord>,
    private readonly transactionsStore: TransactionsStore,
    private readonly ledger: Ledger<PaymentRecord>,
    private readonly sender: PaymentSender,
    private readonly signals: LedgerSignals,
    private readonly watched: WatchedOperations<PaymentRecord>,
    private readonly resources: Resources,
    @Inject(PAYMENTS_SETTINGS) private readonly settings: PaymentsSettings,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Prompts a customer on the phone, and resolves as soon as that is sent, in whatever state it left the payment:
   * `pending`, `failed` when it was certainly not accepted, `unknown` when it may have been sent, but no usable answer came. The outcome comes as
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
      this.signals.due$.next();
      return toPayment(payment);
    });
  }

  /**
   * Finds a payment by its id; null when this account has none with it.
   * @example
   * const payment = await payments.find(order.paymentId);
   * @throws StoreUnavailableError when the store does not answer
   */
  async find(id: string): Promise<Payment | null> {
    return nullable(await this.operationsStore.find(this.settings.account, id));
  }

  /**
   * Finds a payment by its idempotency key; null when nothing was recorded for the key. Then nothing was sent for it either.
   * @example
   * const payment = await payments.findByIdempotencyKey(`order-${order.id}`);
   * @throws StoreUnavailableError when the store does not answer
   */
  async findByIdempotencyKey(key: string): Promise<Payment | null> {
    return nullable(await this.operationsStore.findByIdempotencyKey(this.settings.account, key));
  }

  /**
   * Finds a transaction of a till, with the ids of its webhook events, which an SMS notification refers to. The amount is a decimal
   * string in the currency's main unit.
   * @example
   * const transaction = await payments.findTransaction({ reference: 'SJK0TEST12', tillNumber: '514459' });
   * @throws StoreUnavailableError when the store does not answer
   */
  async findTransaction(key: {
    reference: string;
    tillNumber: string;
  }): Promise<TillTransaction | null> {
    const reference = key.reference.trim();
    const record = await this.transactionsStore.find(this.settings.account, reference);
    const till = key.tillNumber.trim();
    const sum = sumOf(record, { reference, till }, this.settings.tillAliases);
    return sum && toTillTransaction(sum);
  }

  /**
   * Lists what happened to a payment, oldest first, each entry with the source of its evidence.
   * @throws StoreUnavailableError when the store does not answer
   */
  async history(id: string): Promise<StoredHistoryEntry[]> {
    return this.operationsStore.history(this.settings.account, id);
  }

  /**
   * Resolves when the payment is `succeeded`, `failed`, `reversed` or `needs_review`.
   * @param options.timeoutMs milliseconds to wait. @default 120000
   * @throws SettleTimeoutError after that; the payment itself goes on
   * @throws PaymentNotFoundError when this account has no such payment
   */
  async settled(
    id: string,
    { timeoutMs = WATCHING.settledWithinMs }: { timeoutMs?: number } = {},
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
   * not: the stream goes on when it is back. A slow reader misses states in between, never the last one.
   * @example
   * \@Sse('orders/:id/payment')
   * follow(\@Param('id') id: string) {
   *   return this.payments.watch(id).pipe(map(({ state }) => ({ data: { state } })));
   * }
   */
  watch(id: string): Observable<Payment> {
    return this.watched.watch({ account: this.settings.account, id }).pipe(
      map((record) => {
        if (!record) throw new PaymentNotFoundError(id);
        return toPayment(record);
      }),
      distinctUntilChanged(isSame),
      takeWhile(({ state }) => !isFinal(state), true),
    );
  }

  /**
   * A person's decision on a payment in review. It is written to the payment's history, and emits the one event that is due
   * with `via: 'review'`. A payment has one `payment.failed` at most: where it failed before the review, `failed` emits nothing
   * more. A transaction that is named becomes the payment's own with it.
   * @example
   * await payments.resolve(id, { state: 'failed', by: 'ops@shop.example', note: 'not on the statement' });
   * @param decision.by who decided, for the history
   * @param decision.reference reference of the transaction that paid, when the payment does not know one yet
   * @throws PaymentNotResolvableError when the payment is not in review (any more), the transaction is another payment's, or its
   *   money went back and the decision says that it is there
   */
  async resolve(id: string, decision: Resolution): Promise<Payment> {
    const { account } = this.settings;
    if (!(await this.operationsStore.find(account, id))) throw new PaymentNotFoundError(id);
    return toPayment(await this.ledger.resolve({ account, id }, decision));
  }

  private async recordOnce(
    input: RequestPayment,
    { inBackground, transaction }: { inBackground: boolean; transaction?: HostTransaction },
  ): Promise<PaymentRecord> {
    const checked = validateInput(RequestPayment, input);
    const { idempotencyKey, allowParallel = false } = checked;
    const { incomingPayments } = this.resources.of(this.settings.account);
    const complete = incomingPayments.complete(checked, '');
    const { account, tillAliases, sending } = this.settings;
    const request: NewPayment = {
      id: this.runtime.id(),
      account,
      kind: 'payment',
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
    const result = await this.operationsStore.record(request, {
      sendBeforeMs,
      ...(transaction && { transaction }),
    });
    if (result.kind === 'in_flight') throw new PaymentInFlightError(result.id);
    if (result.kind === 'existing' && !isSameRequest(result.operation, request)) {
      throw new IdempotencyConflictError(idempotencyKey, result.operation.id);
    }
    return result.operation;
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
}

function isFinal(state: Payment['state']): boolean {
  return isSettled(state) && state !== 'needs_review';
}

function isSame(one: Payment, other: Payment): boolean {
  return (
    one.state === other.state &&
    one.cause === other.cause &&
    one.causeDetail === other.causeDetail &&
    one.platformId === other.platformId
  );
}

function nullable(record: PaymentRecord | null): Payment | null {
  return record && toPayment(record);
}
