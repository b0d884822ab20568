import type { HostTransaction } from '../../store/host-transaction.js';
import type { OperationsStore, RefusedRecord } from '../../store/operations.store.js';
import { hasPlatformId, OperationReader } from '../../ledger/operation-evidence.service.js';
import { isOpen } from '../../ledger/operation-states.js';
import { OperationsService } from '../../send/operations.service.js';
import type { WatchedOperations } from '../../ledger/watched-operations.js';
import type { OperationRecorder } from '../../send/operation-recorder.js';
import { orderGuard } from '../../ledger/operation.kind.js';
import type { Ledger } from '../../ledger/ledger.js';
import { notResolvable, personOf, type Resolution } from '../../ledger/resolution.js';
import {
  AlreadyPaidError,
  OperationNotCancellableError,
  PaymentInFlightError,
} from '../../operation.errors.js';
import { PaymentsError } from '../../payments.errors.js';
import type { CurrentSettings } from '../../accounts/payments.settings.js';
import { Resources } from '../../platform/resources.js';
import { tillOfAnother } from '../../platform/bare-requests.js';
import { Concealed, validateInput } from '../../runtime/validate-input.js';
import { isSameMetadata } from '../../money/values.js';
import { toMinorUnits } from '../../money/money.js';
import { joinedTills } from '../../money/till-number.js';
import {
  type NewPaymentLink,
  type PaymentLink,
  type PaymentLinkRecord,
  RequestPaymentLink,
  toPaymentLink,
} from './payment-link.js';

/** Shows the link that a request would create. Nothing is recorded. @publicApi */
export type PaymentLinkPreview = Pick<
  PaymentLink,
  'amount' | 'tillNumber' | 'paymentReference' | 'note'
>;

/**
 * Money in by a link: makes a link that you share, and keeps what became of it. Outcomes come as events, see `@OnPaymentEvent`.
 * @see docs/promises.md#payment-links
 * @publicApi
 */
@Concealed()
export class PaymentLinksService extends OperationsService<
  PaymentLinkRecord,
  PaymentLink,
  NewPaymentLink
> {
  protected readonly kind = 'payment_link';
  protected readonly noun = 'payment link';
  protected readonly compared = 'till, amount, order, reference, note or metadata';
  protected readonly present = toPaymentLink;

  constructor(
    store: OperationsStore<PaymentLinkRecord>,
    ledger: Ledger<PaymentLinkRecord>,
    recorder: OperationRecorder<PaymentLinkRecord>,
    watched: WatchedOperations<PaymentLinkRecord>,
    settings: CurrentSettings,
    private readonly resources: Resources,
    private readonly reader: OperationReader<PaymentLinkRecord>,
  ) {
    super(store, ledger, recorder, watched, settings);
  }

  /**
   * Makes a link, and resolves with it: `pending` with its `url`, `failed` when the platform certainly did not make it, `unknown` when no
   * usable answer came; then nobody can know its URL, so nobody pays it. `url` is null when the platform did not show it in time: it is
   * there after one of the next reads (`find()`, `watch()`). The outcome comes as `payment-link.paid`, `.cancelled` or `.expired`.
   * @example
   * const { url } = await links.request({
   *   idempotencyKey: `order-${order.id}-link`,
   *   amount: { currency: 'KES', value: '100.00' },
   *   paymentReference: `order ${order.id}`,
   * });
   * @throws PaymentsValidationError naming each field that is wrong
   * @throws IdempotencyConflictError when the key belongs to another request
   * @throws PaymentInFlightError when its order has no outcome yet, by another link or a payment
   * @throws AlreadyPaidError when its order was paid
   * @throws OperationOutcomeUnknownError when the store did not answer in time: ask again with the same key, never with a new one
   */
  async request(input: RequestPaymentLink): Promise<PaymentLink> {
    const prepare = (): NewPaymentLink => this.newLink(input, false);
    return toPaymentLink(await this.withUrl(await this.requestOnce(prepare, input)));
  }

  /**
   * Checks a link and says what `request()` would make, for a page on which a person confirms it. It records and sends nothing.
   * @throws PaymentsValidationError naming each field that is wrong
   */
  preview(input: RequestPaymentLink): PaymentLinkPreview {
    const { amount, tillNumber, paymentReference, note } = this.newLink(input, false);
    return { amount, tillNumber, paymentReference, note };
  }

  /**
   * Records a link inside the host's own database transaction. It is made in the background after the commit, within
   * `sending.sendBeforeMs`; a rollback makes none. Resolves with the link as `created`, without its URL: `watch()` shows it.
   * @param options.transaction the open transaction; outside of one, use `request()`
   * @throws the same errors as `request`; your transaction must then be rolled back
   */
  async record(
    input: RequestPaymentLink,
    options: { transaction: HostTransaction },
  ): Promise<PaymentLink> {
    const prepare = (): NewPaymentLink => this.newLink(input, true);
    return toPaymentLink(await this.recordInTransaction(prepare, input, options));
  }

  /**
   * Cancels a link, so that nobody can pay it any more, and resolves with the link after that: `failed` with the reason `cancelled`, or
   * `succeeded` when a customer was faster. You can call it again after any error.
   * @param decision.by name or id of the person who cancels it, for the history
   * @throws OperationNotCancellableError when it is settled, or the platform's id of it is not known
   * @throws PlatformRejectedError when the platform refused, and the link can still be paid
   * @throws PlatformUnavailableError | PlatformTimeoutError | PlatformUnreachableError when no answer came; the link may be cancelled
   */
  async cancel(id: string, decision?: { by: string }): Promise<PaymentLink> {
    const by = decision && personOf(decision);
    const link = await this.existing(id);
    if (link.state === 'failed' && link.reason === 'cancelled') return toPaymentLink(link);
    if (!isOpen(link.state)) throw new OperationNotCancellableError(id, `it is ${link.state}`);
    if (!hasPlatformId(link))
      throw new OperationNotCancellableError(id, "the platform's id of it is not known");
    if (by !== undefined) await this.recordCancelling(link, by);
    const { paymentLinks } = this.resources.resources(link.account);
    let refusal: unknown = null;
    try {
      await paymentLinks.cancel(link.platformId);
    } catch (error) {
      refusal = error;
    }
    // Only this read decides: a customer may have paid, or an earlier call whose answer was lost may have cancelled the link.
    const current = await this.reader.read(link, 'confirmation').catch((error: unknown) => {
      throw refusal ?? error;
    });
    if (refusal && isOpen(current.state)) throw refusal;
    return toPaymentLink(current);
  }

  /**
   * Records a person's decision on a link in review, on the open review of one that was paid, or on one whose create got no answer 15 minutes after it was sent. A link that
   * can be paid is cancelled instead. The decision is written to the link's history, and emits the one event that is due with
   * `via: 'review'`. A transaction that is named becomes the link's own with it.
   * @throws PaymentsValidationError when `by` or `note` is missing
   * @throws OperationNotResolvableError when no decision on it is open (any more), the transaction is another operation's, or its money
   * went back and the decision says that it is there
   */
  async resolve(id: string, decision: Resolution): Promise<PaymentLink> {
    const { state } = await this.existing(id);
    if (state === 'pending')
      throw notResolvable({ kind: this.kind, id }, 'it can be paid: cancel it');
    return toPaymentLink(
      await this.decide(id, decision.state, (link) => this.ledger.resolve(link, decision)),
    );
  }

  protected isSameRequest(link: PaymentLinkRecord, request: NewPaymentLink): boolean {
    const isRedacted = link.note === '';
    return (
      link.tillNumber === request.tillNumber &&
      link.amount.currency === request.amount.currency &&
      link.amountMinor === request.amountMinor &&
      link.order === request.order &&
      link.paymentReference === request.paymentReference &&
      (isRedacted ||
        (link.note === request.note && isSameMetadata(link.metadata, request.metadata)))
    );
  }

  protected override ignoredMoney({ tillNumber }: NewPaymentLink): Error | null {
    return tillOfAnother(tillNumber, this.settings.current);
  }

  protected refusal(result: RefusedRecord): Error {
    if (result.kind === 'in_flight') return new PaymentInFlightError(result.operations);
    if (result.kind === 'already_paid') return new AlreadyPaidError(result.operations);
    throw new Error('a payment link has no limit');
  }

  /** Records a cancel before the platform is asked, so that nobody cancels a link without a trace. */
  private async recordCancelling(link: PaymentLinkRecord, by: string): Promise<void> {
    const change = { via: 'review', set: {}, note: `cancelling asked for by ${by}` } as const;
    await this.ledger.change(link, ({ state }) => (isOpen(state) ? change : null));
  }

  /** The platform answers a create with an id only: the URL must be read. A read that fails is repeated in the background. */
  private async withUrl(link: PaymentLinkRecord): Promise<PaymentLinkRecord> {
    if (link.state !== 'pending' || !hasPlatformId(link) || link.outcome !== null) return link;
    try {
      return await this.reader.read(link, 'confirmation');
    } catch (error) {
      if (error instanceof PaymentsError) return link;
      throw error;
    }
  }

  private newLink(input: RequestPaymentLink, inBackground: boolean): NewPaymentLink {
    const { account, tillAliases } = this.settings.current;
    const checked = validateInput(RequestPaymentLink, input);
    const complete = this.resources.resources(account).paymentLinks.complete(checked, '');
    const { amount, tillNumber, paymentReference = null, note = null, metadata = null } = complete;
    const { requestedBy = null, order = null, besides = [] } = checked;
    return {
      id: this.recorder.newId(),
      account,
      kind: this.kind,
      idempotencyKey: checked.idempotencyKey,
      amount,
      amountMinor: String(toMinorUnits(amount.value, amount.currency)),
      tills: joinedTills(tillNumber, tillAliases),
      besides,
      inBackground,
      guard: { keys: orderGuard(order) },
      tillNumber,
      order,
      paymentReference,
      note,
      metadata,
      requestedBy,
    };
  }
}
