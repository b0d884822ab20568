import { PlatformClocks } from '../../platform/platform-clock.js';
import type { HostTransaction } from '../../store/host-transaction.js';
import type { OperationsStore, RefusedRecord } from '../../store/operations.store.js';
import { FOR_EVER_MS, guardKey } from '../../ledger/operation.kind.js';
import type { OperationState } from '../../store/operation.js';
import { GUARDED_STATES } from '../../ledger/operation-states.js';
import { OperationsService } from '../../send/operations.service.js';
import type { WatchedOperations } from '../../ledger/watched-operations.js';
import type { OperationRecorder } from '../../send/operation-recorder.js';
import type { Ledger } from '../../ledger/ledger.js';
import { NotRefundableError, type NotRefundableReason } from '../../operation.errors.js';
import type { CurrentSettings } from '../../accounts/payments.settings.js';
import { Concealed, validateInput } from '../../runtime/validate-input.js';
import type { TransactionSum } from '../../money/transaction.js';
import { sumOf, wentBack } from '../../money/transaction-sameness.js';
import { TransactionsStore } from '../../store/transactions.store.js';
import { isSameMetadata } from '../../money/values.js';
import { fromMinorUnits, toMinorUnits, type Amount } from '../../money/money.js';
import { isSameTill } from '../../money/till-number.js';
import { readTimestamp } from '../../money/timestamp.js';
import { refundResolutionChange, type RefundResolution } from './refund.kind.js';
import {
  type NewRefund,
  type Refund,
  RefundFields,
  type RefundOfPayment,
  type RefundOfTransaction,
  type RefundRecord,
  type RequestRefund,
  toRefund,
} from './refund.js';

/** The platform reverses a transaction for this long. */
const REFUNDABLE_FOR_MS = 30 * 24 * 60 * 60_000;

/** A transaction is refunded once: a refund that succeeded refuses another one as well. */
const REFUSED_IN: readonly OperationState[] = [...GUARDED_STATES, 'succeeded'];

/** The money that goes back: that of a payment of ours, or any money at a till. @publicApi */
export type RefundedMoney =
  | Pick<RefundOfPayment, 'paymentId' | 'reference' | 'tillNumber'>
  | Pick<RefundOfTransaction, 'paymentId' | 'reference' | 'tillNumber'>;

/** Shows the money that a refund would send back. Nothing is recorded. @publicApi */
export interface RefundPreview {
  /** The whole received amount. */
  readonly amount: Amount;
  /** Reference of the transaction that would go back. */
  readonly reference: string;
  /** Till number at which the money was received. */
  readonly tillNumber: string;
}

/**
 * Sends received money back, in full and once, and keeps what became of it. Outcomes come as events, see `@OnPaymentEvent`.
 * @see docs/promises.md#money-out
 * @publicApi
 */
@Concealed()
export class RefundsService extends OperationsService<RefundRecord, Refund, NewRefund> {
  protected readonly kind = 'refund';
  protected readonly noun = 'refund';
  protected readonly compared = 'payment or transaction, or metadata';
  protected readonly present = toRefund;

  constructor(
    store: OperationsStore<RefundRecord>,
    ledger: Ledger<RefundRecord>,
    recorder: OperationRecorder<RefundRecord>,
    watched: WatchedOperations<RefundRecord>,
    settings: CurrentSettings,
    private readonly transactionsStore: TransactionsStore,
    private readonly clocks: PlatformClocks,
  ) {
    super(store, ledger, recorder, watched, settings);
  }

  /**
   * Asks the platform to send received money back, and resolves as soon as that is sent: `pending`, `failed` when it was certainly not
   * accepted, `unknown` when it may have been sent, but no usable answer came. The platform sends back the whole amount or nothing, and
   * needs the balance for it. The outcome comes as `refund.succeeded` or `refund.failed`; the payment emits `payment.reversed`.
   *
   * The same idempotency key never refunds twice, and neither do two keys for the same money.
   * @example
   * const refund = await refunds.request({ idempotencyKey: `refund-${order.id}`, paymentId: payment.id, why: 'Out of stock' });
   * @throws PaymentsValidationError naming each field that is wrong
   * @throws NotRefundableError when the money was not received, is older than 30 days, or is refunded or being refunded
   * @throws IdempotencyConflictError when the key belongs to another request
   * @throws OperationOutcomeUnknownError when the store did not answer in time: ask again with the same key, never with a new one
   */
  async request(input: RequestRefund): Promise<Refund> {
    const checked = validateInput(RefundFields, input);
    return toRefund(await this.requestOnce(() => this.newRefund(checked, false), checked));
  }

  /**
   * Says what `request()` would send back, for a page on which a person confirms it. It records and sends nothing.
   * @throws NotRefundableError when the money was not received, is older than 30 days, or is refunded or being refunded
   */
  async preview(money: RefundedMoney): Promise<RefundPreview> {
    const { reference, tillNumber } = await this.moneyOf(money);
    const amount = await this.refundable(reference, tillNumber);
    const filter = { kind: this.kind, refundOf: reference, states: REFUSED_IN };
    const { items } = await this.store.list(this.settings.current.account, filter, {
      limit: 1,
    });
    if (items[0]) throw refundedBy(items[0].id, reference);
    return { amount, reference, tillNumber };
  }

  /**
   * Records a refund inside the host's own database transaction. It is sent in the background after the commit, within
   * `sending.sendBeforeMs`; a rollback sends nothing. Resolves with the refund as `created`.
   * @param options.transaction the open transaction; outside of one, use `request()`
   * @throws the same errors as `request`; your transaction must then be rolled back
   */
  async record(input: RequestRefund, options: { transaction: HostTransaction }): Promise<Refund> {
    const checked = validateInput(RefundFields, input);
    const prepare = (): Promise<NewRefund> => this.newRefund(checked, true);
    return toRefund(await this.recordInTransaction(prepare, checked, options));
  }

  /**
   * Records a person's decision on a refund in review, or on one that has no outcome 15 minutes after it was sent; that is read first, and what the platform
   * says wins. It is written to the refund's history, and emits the one event that is due with
   * `via: 'review'`. It does not reverse the payment: only the platform's own report does.
   * @example
   * await refunds.resolve(id, { state: 'failed', by: 'jane@shop.example', note: 'the statement shows no reversal' });
   * @throws PaymentsValidationError when `by` or `note` is missing
   * @throws OperationNotResolvableError when no decision on it is open (any more)
   * @throws PlatformError | PlatformTimeoutError when the platform does not answer what is read first
   */
  async resolve(id: string, decision: RefundResolution): Promise<Refund> {
    return toRefund(
      await this.decide(id, decision.state, (refund) =>
        this.ledger.change(refund, (current) => refundResolutionChange(current, decision)),
      ),
    );
  }

  protected isSameRequest(refund: RefundRecord, request: NewRefund): boolean {
    const isRedacted = refund.why === '';
    return (
      refund.reference === request.reference &&
      refund.paymentId === request.paymentId &&
      isSameTill(refund.tillNumber, [request.tillNumber], this.settings.current.tillAliases) &&
      (isRedacted || isSameMetadata(refund.metadata, request.metadata))
    );
  }

  protected refusal(result: RefusedRecord, { reference }: NewRefund): Error {
    if (result.kind === 'over_limit') throw new Error('a refund has no limit');
    return refundedBy(result.operations[0]!.id, reference);
  }

  private async newRefund(checked: RefundFields, inBackground: boolean): Promise<NewRefund> {
    const { account } = this.settings.current;
    const { idempotencyKey, why, metadata = null, paymentId = null, requestedBy = null } = checked;
    // A refund that is recorded for the key stays as it is, also when the money has gone back since.
    const existing = await this.store.findByIdempotencyKey(account, this.kind, idempotencyKey);
    const isKnown = existing !== null && paymentId !== null && existing.paymentId === paymentId;
    const { reference, tillNumber } = isKnown ? existing : await this.moneyOf(checked);
    const amount = existing ? existing.amount : await this.refundable(reference, tillNumber);
    const { currency, value } = amount;
    return {
      id: this.recorder.newId(),
      account,
      kind: this.kind,
      idempotencyKey,
      amount,
      amountMinor: String(toMinorUnits(value, currency)),
      tills: [],
      besides: [],
      inBackground,
      guard: { keys: [{ key: guardKey('refund', reference), paidForMs: FOR_EVER_MS }] },
      paymentId,
      reference,
      tillNumber,
      why,
      metadata,
      requestedBy,
    };
  }

  /** Returns the transaction that is to go back. @throws NotRefundableError when a payment has none */
  private async moneyOf({
    paymentId,
    reference = '',
    tillNumber = '',
  }: Pick<RefundFields, 'paymentId' | 'reference' | 'tillNumber'>): Promise<{
    reference: string;
    tillNumber: string;
  }> {
    const { account } = this.settings.current;
    if (paymentId === undefined) {
      const known = await this.transactionsStore.findTyped(account, reference);
      return { reference: known?.reference ?? reference.trim(), tillNumber: tillNumber.trim() };
    }
    const payment = await this.store.find(account, paymentId);
    const what = `Payment ${paymentId}`;
    if (payment?.kind !== 'payment') {
      const why =
        payment?.kind === 'payment_link'
          ? 'it is a payment link: refund its money by the reference and tillNumber of its transaction'
          : 'this account has no such payment';
      throw new NotRefundableError(what, 'not_found', why);
    }
    const { state, transaction: own } = payment;
    if (state !== 'succeeded' && state !== 'reversed') {
      const why = `it is ${state}: only a payment that succeeded can be. Money that came anyway is refunded by its reference and tillNumber`;
      throw new NotRefundableError(what, 'not_paid', why);
    }
    if (!own?.reference) {
      const why =
        'its transaction has no reference, by which the platform would know it. Ask the platform to refund it';
      throw new NotRefundableError(what, 'not_received', why);
    }
    return { reference: own.reference, tillNumber: own.tillNumber ?? payment.tills[0] ?? '' };
  }

  /** Returns the amount of received money. @throws NotRefundableError when it cannot be refunded */
  private async refundable(
    reference: string,
    till: string,
  ): Promise<{ currency: string; value: string }> {
    const { account, tillAliases } = this.settings.current;
    const record = await this.transactionsStore.find(account, reference);
    const sum = sumOf(record, { reference, till }, tillAliases);
    const missing = `no money with this reference was received at till ${till}`;
    const refusal = sum ? this.refusalOf(sum) : ({ reason: 'not_received', why: missing } as const);
    if (refusal)
      throw new NotRefundableError(`Transaction ${reference}`, refusal.reason, refusal.why);
    const { currency } = sum as { currency: string };
    return { currency, value: fromMinorUnits(restOf(sum as TransactionSum) ?? 0n, currency) };
  }

  /** @returns the reason for which money cannot be refunded; null when it can be */
  private refusalOf(sum: TransactionSum): { reason: NotRefundableReason; why: string } | null {
    if (sum.hasOtherPart)
      return { reason: 'sent_back', why: 'parts of it went back, and nobody knows what is left' };
    if (sum.reversal && restOf(sum) === null)
      return { reason: 'sent_back', why: 'the platform has sent it back already' };
    if (!sum.received)
      return { reason: 'not_received', why: 'the platform has not reported that it was received' };
    if (sum.amountMinor === null || sum.currency === null)
      return { reason: 'unreadable_amount', why: 'its amount cannot be read' };
    const at = sum.originatedAt ?? readTimestamp(sum.received.originationTime);
    const now = this.clocks.clock(this.settings.current.account).now();
    if (!at || now.getTime() - at.getTime() <= REFUNDABLE_FOR_MS) return null;
    const why = 'it is older than 30 days, and the platform sends nothing back that is older';
    return { reason: 'too_old', why };
  }
}

/** Returns the rest of the money in minor units, after a reversal of a part of it; null when nothing is left, or nobody knows the rest. */
function restOf({ received, reversal, amountMinor, currency }: TransactionSum): bigint | null {
  if (amountMinor === null) return null;
  const back = reversal ? wentBack(reversal, received) : '0';
  if (back === 'all' || back === null || (reversal?.currency ?? currency) !== currency) return null;
  const rest = BigInt(amountMinor) - BigInt(back);
  return rest > 0n ? rest : null;
}

function refundedBy(refundId: string, reference: string): NotRefundableError {
  const why = `refund ${refundId} has sent it back, or may do so`;
  return new NotRefundableError(`Transaction ${reference}`, 'refunded', why, refundId);
}
