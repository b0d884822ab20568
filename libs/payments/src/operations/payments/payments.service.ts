import type { HostTransaction } from '../../store/host-transaction.js';
import type { OperationsStore, RefusedRecord } from '../../store/operations.store.js';
import { OperationsService } from '../../send/operations.service.js';
import type { WatchedOperations } from '../../ledger/watched-operations.js';
import type { OperationRecorder } from '../../send/operation-recorder.js';
import type { Ledger } from '../../ledger/ledger.js';
import type { Resolution } from '../../ledger/resolution.js';
import { AlreadyPaidError, PaymentInFlightError } from '../../operation.errors.js';
import type { CurrentSettings } from '../../accounts/payments.settings.js';
import { Resources } from '../../platform/resources.js';
import { tillOfAnother } from '../../platform/bare-requests.js';
import { Concealed, validateInput } from '../../runtime/validate-input.js';
import { toTillTransaction, type TillTransaction } from '../../money/transaction.js';
import { sumOf } from '../../money/transaction-sameness.js';
import { TransactionsStore } from '../../store/transactions.store.js';
import { explainFailure, type FailureExplanation } from '../../money/known-failures.js';
import { toMinorUnits } from '../../money/money.js';
import { joinedTills } from '../../money/till-number.js';
import {
  isSameRequest,
  type NewPayment,
  type Payment,
  paymentGuard,
  type PaymentRecord,
  RequestPayment,
  toPayment,
} from './payment.js';

/**
 * Money in: asks a customer for a payment, once, and keeps what became of it. Outcomes come as events, see `@OnPaymentEvent`.
 * @see docs/promises.md
 * @publicApi
 */
@Concealed()
export class PaymentsService extends OperationsService<PaymentRecord, Payment, NewPayment> {
  protected readonly kind = 'payment';
  protected readonly noun = 'payment';
  protected readonly compared = 'channel, till, phone, amount, order or metadata';
  protected readonly present = toPayment;
  protected readonly isSameRequest = isSameRequest;

  constructor(
    store: OperationsStore<PaymentRecord>,
    ledger: Ledger<PaymentRecord>,
    recorder: OperationRecorder<PaymentRecord>,
    watched: WatchedOperations<PaymentRecord>,
    settings: CurrentSettings,
    private readonly transactionsStore: TransactionsStore,
    private readonly resources: Resources,
  ) {
    super(store, ledger, recorder, watched, settings);
  }

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
   * @throws PaymentInFlightError when the same customer is being asked for the same amount already, or the same order has no outcome yet
   * @throws AlreadyPaidError when its order was paid, or a payment that it names in `besides` was
   * @throws OperationOutcomeUnknownError when the store did not answer in time: ask again with the same key, never with a new one
   */
  async request(input: RequestPayment): Promise<Payment> {
    return toPayment(await this.requestOnce(() => this.newPayment(input, false), input));
  }

  /**
   * Records a payment inside the host's own database transaction. It is sent in the background after the commit, within
   * `sending.sendBeforeMs`; a rollback leaves no prompt. Resolves with the payment as `created`. When you do not know
   * whether your COMMIT was made, record it again with the same key.
   * @param options.transaction the open transaction; outside of one, use `request()`
   * @throws the same errors as `request`; your transaction must then be rolled back
   */
  async record(input: RequestPayment, options: { transaction: HostTransaction }): Promise<Payment> {
    const prepare = (): NewPayment => this.newPayment(input, true);
    return toPayment(await this.recordInTransaction(prepare, input, options));
  }

  /**
   * Explains why a payment failed: the reason, whether it makes sense to ask again, a message for the customer in English and Swahili, and the
   * platform's own text. It also explains payments whose text became known later. Option `knownFailures` adds texts.
   * @example
   * const { message, retry } = payments.explainFailure(payment)!;
   * @returns null when the payment has not failed
   * @see docs/failures.md
   */
  explainFailure({
    reason,
    errors,
  }: Pick<Payment, 'reason' | 'errors'>): FailureExplanation | null {
    return reason && explainFailure({ reason, errors }, this.settings.current.knownFailures);
  }

  /**
   * Finds a transaction of a till, with the ids of its webhook events, which an SMS notification refers to. The amount is a decimal
   * string in the currency's main unit. The reference is found in any case of letters.
   * @example
   * const transaction = await payments.findTransaction({ reference: 'SJK0TEST12', tillNumber: '514459' });
   * @throws StoreUnavailableError when the store does not answer
   */
  async findTransaction(key: {
    reference: string;
    tillNumber: string;
  }): Promise<TillTransaction | null> {
    const { account, tillAliases } = this.settings.current;
    const record = await this.transactionsStore.findTyped(account, key.reference);
    if (!record) return null;
    const { reference } = record;
    const sum = sumOf(record, { reference, till: key.tillNumber.trim() }, tillAliases);
    return sum && toTillTransaction(sum);
  }

  /**
   * Records a person's decision on a payment in review, on one that has no outcome 15 minutes after it was sent, or on the open review of one that succeeded. What has
   * no outcome is read first, also in review, and what the platform says wins. The decision is written to the payment's history, and emits the one event that is due
   * with `via: 'review'`. A payment has one `payment.failed` at most: where it failed before the review, `failed` emits nothing
   * more. A transaction that is named becomes the payment's own with it.
   * @example
   * await payments.resolve(id, { state: 'failed', by: 'ops@shop.example', note: 'not on the statement' });
   * @param decision.by who decided, for the history
   * @param decision.reference reference of the transaction that paid, when the payment does not know one yet
   * @throws PaymentsValidationError when `by` or `note` is missing
   * @throws OperationNotResolvableError when no decision on it is open (any more), the transaction is another payment's, or its
   *   money went back and the decision says that it is there
   * @throws PlatformError | PlatformTimeoutError when the platform does not answer what is read first
   */
  async resolve(id: string, decision: Resolution): Promise<Payment> {
    return toPayment(
      await this.decide(id, decision.state, (payment) => this.ledger.resolve(payment, decision)),
    );
  }

  protected override ignoredMoney({ tillNumber }: NewPayment): Error | null {
    return tillOfAnother(tillNumber, this.settings.current);
  }

  protected refusal(result: RefusedRecord): Error {
    if (result.kind === 'in_flight') return new PaymentInFlightError(result.operations);
    if (result.kind === 'already_paid') return new AlreadyPaidError(result.operations);
    throw new Error('a payment has no limit');
  }

  private newPayment(input: RequestPayment, inBackground: boolean): NewPayment {
    const { account, tillAliases } = this.settings.current;
    const checked = validateInput(RequestPayment, input);
    const { idempotencyKey, order = null, besides = [] } = checked;
    const complete = this.resources.resources(account).incomingPayments.complete(checked, '');
    const { amount, subscriber } = complete;
    const amountMinor = String(toMinorUnits(amount.value, amount.currency));
    return {
      id: this.recorder.newId(),
      account,
      kind: this.kind,
      idempotencyKey,
      channel: complete.paymentChannel,
      tillNumber: complete.tillNumber,
      tills: joinedTills(complete.tillNumber, tillAliases),
      subscriber,
      amount,
      amountMinor,
      guard: paymentGuard({ subscriber, amount, amountMinor, order }),
      order,
      metadata: complete.metadata ?? null,
      besides,
      inBackground,
    };
  }
}
