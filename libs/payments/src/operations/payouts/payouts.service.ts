import type { HostTransaction } from '../../store/host-transaction.js';
import type { RefusedRecord } from '../../store/operations.store.js';
import type { OperationChange } from '../../ledger/operation-changes.js';
import { OperationsService } from '../../send/operations.service.js';
import type { AskedAgain } from '../../store/operation.js';
import { decisionNote, personOf } from '../../ledger/resolution.js';
import { PaymentsValidationError } from '../../payments.errors.js';
import {
  AlreadyPaidError,
  PayoutInFlightError,
  PayoutLimitError,
  PayoutNotApprovableError,
} from '../../operation.errors.js';
import type { PayoutLimits } from '../../accounts/payments.settings.js';
import {
  type SendMoneyDestination,
  validateSendMoney,
} from '../../platform/resources/create-send-money.dto.js';
import { Concealed } from '../../runtime/validate-input.js';
import { isSameMetadata } from '../../money/values.js';
import {
  canonicalValue,
  fromMinorUnits,
  sumInMinorUnits,
  toMinorUnits,
  type Amount,
} from '../../money/money.js';
import { AccountRemovedError } from '../../account.errors.js';
import { identityOf, payoutGuard } from './payout-results.js';
import {
  awaitsApproval,
  type NewPayout,
  type Payout,
  PayoutFields,
  type PayoutRecord,
  type RequestPayout,
  toPayout,
  wholeRecipients,
} from './payout.js';
import { payoutResolutionChange, type PayoutResolution } from './payout-decision.js';

/** Shows the payout that a request would send. Nothing is recorded. @publicApi */
export interface PayoutPreview {
  /** The sum of all destinations. */
  readonly amount: Amount;
  /** The destinations, with phone numbers in international form. */
  readonly destinations: readonly SendMoneyDestination[];
  /** True when a second person must approve it before it is sent. */
  readonly needsApproval: boolean;
}

/**
 * Money out: pays wages, suppliers and winners, each once, and keeps what became of it. Outcomes come as events, see `@OnPaymentEvent`.
 * @see docs/promises.md#money-out
 * @publicApi
 */
@Concealed()
export class PayoutsService extends OperationsService<PayoutRecord, Payout, NewPayout> {
  protected readonly kind = 'payout';
  protected readonly noun = 'payout';
  protected readonly compared = 'source, currency, destinations, amounts or metadata';
  protected readonly present = toPayout;

  /**
   * Sends money to its destinations, and resolves as soon as that is sent, in whatever state it left the payout: `pending`, `failed`
   * when it was certainly not accepted, `unknown` when it may have been sent, but no usable answer came. The outcome comes as
   * `payout.succeeded`, `payout.partially-succeeded` or `payout.failed`.
   *
   * The same idempotency key never pays twice, from any replica, also after a restart. Money is sent only while this call lives: once it
   * has thrown, nothing is sent for its key unless you ask again with it. A payout that needs approval resolves as `created`; it is
   * sent by `approve()`.
   * @example
   * const payout = await payouts.request({
   *   idempotencyKey: `invoice-${invoice.id}`,
   *   currency: 'KES',
   *   destinations: [
   *     { type: 'mobile_wallet', phoneNumber: '+254700000001', network: 'Safaricom', amount: '1000.00', description: 'Flour' },
   *   ],
   * });
   * @throws PaymentsValidationError naming each field that is wrong; also when `destinations` is empty or missing
   * @throws IdempotencyConflictError when the key belongs to another request
   * @throws PayoutInFlightError when a payout to the same destination with the same amount has no outcome, or was paid in the last 10 minutes
   * @throws AlreadyPaidError when a payout that it names in `besides` was paid
   * @throws PayoutLimitError when it is above a limit of the settings
   * @throws OperationOutcomeUnknownError when the store did not answer in time: ask again with the same key, never with a new one
   */
  async request(input: RequestPayout): Promise<Payout> {
    const payout = await this.newPayout(input, false);
    return toPayout(await this.requestOnce(() => payout, input, { isHeld: payout.needsApproval }));
  }

  /**
   * Checks a payout and says what `request()` would send, for a page on which a person confirms it. It records and sends nothing. Only
   * `request()` knows whether it would be above the limit of a day, or an equal payout is in flight.
   * @throws PaymentsValidationError naming each field that is wrong
   * @throws PayoutLimitError when it is above the limit for one payout
   */
  async preview(input: RequestPayout): Promise<PayoutPreview> {
    const { amount, recipients, needsApproval } = await this.newPayout(input, false);
    const destinations = recipients.filter((recipient) => recipient !== null);
    return { amount, destinations, needsApproval };
  }

  /**
   * Records a payout inside the host's own database transaction. It is sent in the background after the commit, within
   * `sending.sendBeforeMs`; a rollback sends nothing. Resolves with the payout as `created`. When you do not know whether your COMMIT
   * was made, record it again with the same key.
   * @param options.transaction the open transaction; outside of one, use `request()`
   * @throws the same errors as `request`; your transaction must then be rolled back
   */
  async record(input: RequestPayout, options: { transaction: HostTransaction }): Promise<Payout> {
    const payout = await this.newPayout(input, true);
    const prepare = (): NewPayout => payout;
    const isHeld = payout.needsApproval;
    return toPayout(await this.recordInTransaction(prepare, input, options, { isHeld }));
  }

  /**
   * Approves a payout that waits for a second person, and sends it. Its time to be sent starts now. What must not be in its way, and the limit of a day,
   * are asked again: another payout may have come back into review since it was requested. Resolves like `request()`.
   * @param approval.by name or id of the person: not the one who asked for the payout
   * @example
   * await payouts.approve(id, { by: 'peter@shop.example' });
   * @throws PayoutNotApprovableError when it does not wait for approval, or `by` asked for it
   * @throws PayoutInFlightError | AlreadyPaidError | PayoutLimitError as `request()` does; it still waits for approval
   * @throws AccountRemovedError when the account was removed; decline it
   * @throws SendingPausedError while sending is paused; it still waits for approval
   * @throws OperationOutcomeUnknownError when the store did not answer in time: it may be approved, and one of `record()` is then sent. Call
   * this again within `sending.sendBeforeMs`: it is sent once
   */
  async approve(id: string, approval: { by: string }): Promise<Payout> {
    const by = personOf(approval);
    await this.upToDate();
    const payout = await this.existing(id);
    if (this.settings.current.isRemoved) throw new AccountRemovedError(payout.account);
    await this.recorder.assertNotPaused(payout.account);
    const approve = async (): Promise<Payout> => {
      const approved = await this.ledger.change(payout, (current) => this.approval(current, by));
      return toPayout(await this.recorder.sendApproved(approved));
    };
    const doubt = 'approved. It may be sent. Call approve() again: it is sent once';
    return this.orOutcomeUnknown(payout.idempotencyKey, approve, doubt);
  }

  /**
   * Declines a payout that waits for a second person: it fails with reason `declined`, and nothing is sent.
   * @param decision.by name or id of the person; whoever asked for the payout may decline it too
   * @throws PayoutNotApprovableError when it does not wait for approval
   */
  async decline(id: string, decision: { by: string; note: string }): Promise<Payout> {
    const payout = await this.existing(id);
    const declined = await this.ledger.change(payout, (current) => {
      this.mayDecide(current, null);
      const note = decisionNote('declined', decision);
      const set = { state: 'failed', reason: 'declined', errors: [note], decided: true } as const;
      return { via: 'review', set, dueInMs: null, note };
    });
    return toPayout(declined);
  }

  /**
   * Records a person's decision on a payout in review, on one that has no outcome 15 minutes after it was sent, or on the open review of one that was paid. What has no
   * outcome is read first, and what the platform says wins. The decision is written to the payout's history, and emits the one event that is due with
   * `via: 'review'`. `failed` means that you know that nobody was paid: only then may you pay again, with a new key.
   * @example
   * await payouts.resolve(id, { state: 'partially_succeeded', paid: [0, 2], by: 'jane@shop.example', note: 'the statement shows two' });
   * @throws PaymentsValidationError when `by` or `note` is missing
   * @throws OperationNotResolvableError when no decision on it is open (any more), or the decision does not fit its destinations
   * @throws PlatformError | PlatformTimeoutError when the platform does not answer what is read first
   */
  async resolve(id: string, decision: PayoutResolution): Promise<Payout> {
    return toPayout(
      await this.decide(id, decision.state, (payout) =>
        this.ledger.change(payout, (current) => payoutResolutionChange(current, decision)),
      ),
    );
  }

  protected isSameRequest(payout: PayoutRecord, request: NewPayout): boolean {
    const { currency } = request.amount;
    const identities = (each: Pick<PayoutRecord, 'recipients'>): string =>
      JSON.stringify(wholeRecipients(each).map((recipient) => identityOf(recipient, currency)));
    const amounts = ({ transfers }: Pick<PayoutRecord, 'transfers'>): string =>
      JSON.stringify(transfers.map(({ type, amount }) => [type, canonicalValue(amount, currency)]));
    const isRedacted = wholeRecipients(payout).length === 0;
    return (
      payout.sourceIdentifier === request.sourceIdentifier &&
      payout.amount.currency === currency &&
      amounts(payout) === amounts(request) &&
      (isRedacted ||
        (identities(payout) === identities(request) &&
          isSameMetadata(payout.metadata, request.metadata)))
    );
  }

  protected refusal(
    result: RefusedRecord,
    { amount, besides }: Pick<NewPayout, 'amount' | 'besides'>,
  ): Error {
    if (result.kind !== 'over_limit') {
      const isNamed = result.operations.some(({ id }) => besides.includes(id));
      return result.kind === 'already_paid' && isNamed
        ? new AlreadyPaidError(result.operations)
        : new PayoutInFlightError(result.operations);
    }
    const { currency, value } = amount;
    const used = fromMinorUnits(BigInt(result.usedMinor), currency);
    return new PayoutLimitError(
      `payouts.limits.${currency}.perDay`,
      `payouts of the last 24 hours are ${used} ${currency}, and ${value} ${currency} more are above the limit of ` +
        `${this.limitsOf(currency)?.perDay} ${currency}`,
    );
  }

  private async newPayout(input: RequestPayout, inBackground: boolean): Promise<NewPayout> {
    const { account } = this.settings.current;
    const checked = validateSendMoney(PayoutFields, input, this.settings.current);
    const { idempotencyKey, currency, requestedBy = null, besides = [] } = checked;
    const recipients = checked.destinations ?? [];
    const minor = sumInMinorUnits(recipients, currency) ?? 0n;
    const { needsApproval, limits } = await this.unlessKnown(
      idempotencyKey,
      () => ({
        needsApproval: this.checkLimits(minor, currency, requestedBy),
        limits: this.limitsOf(currency),
      }),
      { needsApproval: false, limits: undefined },
    );
    const { perDay, approveFrom } = limits ?? {};
    return {
      id: this.recorder.newId(),
      account,
      kind: this.kind,
      idempotencyKey,
      amount: { currency, value: fromMinorUnits(minor, currency) },
      amountMinor: String(minor),
      tills: [],
      besides,
      inBackground,
      guard: payoutGuard(recipients, currency),
      ...(perDay !== undefined && { dailyLimitMinor: String(toMinorUnits(perDay, currency)) }),
      ...(approveFrom !== undefined &&
        !needsApproval && { approveFromMinor: String(toMinorUnits(approveFrom, currency)) }),
      sourceIdentifier: checked.sourceIdentifier ?? null,
      transfers: recipients.map(({ type, amount }) => ({ type, amount })),
      recipients: structuredClone(recipients),
      metadata: checked.metadata ?? null,
      requestedBy,
      needsApproval,
    };
  }

  /**
   * A payout that is recorded for a key stays as it is, also when a limit is lowered afterwards: an error would claim that nothing was
   * sent.
   */
  private async unlessKnown<T>(key: string, check: () => T, otherwise: T): Promise<T> {
    try {
      return check();
    } catch (error) {
      if (await this.orOutcomeUnknown(key, () => this.findByIdempotencyKey(key))) return otherwise;
      throw error;
    }
  }

  /** Returns true when a second person must approve it. @throws PayoutLimitError when it is above a limit */
  private checkLimits(minor: bigint, currency: string, requestedBy: string | null): boolean {
    const limits = this.limitsOf(currency);
    if (!limits) return false;
    const { perPayout, approveFrom } = limits;
    const minorOf = (value: string): bigint => toMinorUnits(value, currency) ?? 0n;
    if (perPayout !== undefined && minor > minorOf(perPayout)) {
      const value = fromMinorUnits(minor, currency);
      const setting = `payouts.limits.${currency}.perPayout`;
      const why = `${value} ${currency} is above the limit of ${perPayout} ${currency} for one payout`;
      throw new PayoutLimitError(setting, why);
    }
    if (approveFrom !== undefined && requestedBy === null) {
      const problem = `is missing: a second person must approve what one destination gets in a day from ${approveFrom} ${currency} on, so each who asks must be named`;
      throw new PaymentsValidationError([{ field: 'requestedBy', problem }]);
    }
    return approveFrom !== undefined && minor >= minorOf(approveFrom);
  }

  protected override held({ approveFromMinor: _, ...payout }: NewPayout): NewPayout {
    return { ...payout, needsApproval: true };
  }

  /** @throws PayoutLimitError when there are limits, and none for the currency */
  private limitsOf(currency: string): PayoutLimits | undefined {
    const { limits } = this.settings.current.payouts;
    if (!limits) return undefined;
    const own = Object.hasOwn(limits, currency) ? limits[currency] : undefined;
    if (own) return own;
    throw new PayoutLimitError(
      'payouts.limits',
      `there are limits, and none for ${currency}: add payouts.limits.${currency}`,
    );
  }

  /**
   * Returns the change of an approval, unless something refuses it now. Null when the same person has approved it already, and it can still be sent:
   * then the answer of that call may have been lost.
   */
  private async approval(payout: PayoutRecord, by: string): Promise<OperationChange | null> {
    const { state, approvedBy, sendWithinMs } = payout;
    if (state === 'created' && approvedBy === by && sendWithinMs > 0) return null;
    this.mayDecide(payout, by);
    const asks = this.askedAgain(payout);
    const refused = await this.store.refusalOf(asks);
    if (refused) throw this.refusal(refused, payout);
    const { sendBeforeMs } = this.settings.current.sending;
    return {
      via: 'review',
      set: { approvedBy: by },
      asks,
      sendWithinMs: sendBeforeMs,
      dueInMs: payout.inBackground ? 0 : sendBeforeMs,
      note: `approved by ${by}`,
    };
  }

  private askedAgain(payout: PayoutRecord): AskedAgain {
    const { id, account, kind, amount, amountMinor, tills, besides } = payout;
    const { perDay } = this.limitsOf(amount.currency) ?? {};
    return {
      id,
      account,
      kind,
      amount,
      amountMinor,
      tills,
      besides,
      guard: payoutGuard(wholeRecipients(payout), amount.currency),
      ...(perDay !== undefined && {
        dailyLimitMinor: String(toMinorUnits(perDay, amount.currency)),
      }),
    };
  }

  /** @throws PayoutNotApprovableError */
  private mayDecide(payout: PayoutRecord, approver: string | null): void {
    if (!awaitsApproval(payout)) {
      const why =
        payout.approvedBy !== null
          ? `${payout.approvedBy} has approved it`
          : `it is ${payout.state}, and needs no approval`;
      throw new PayoutNotApprovableError(payout.id, 'not_waiting', why);
    }
    if (approver !== null && isSamePerson(approver, payout.requestedBy))
      throw new PayoutNotApprovableError(
        payout.id,
        'same_person',
        `${approver} asked for it, and another person must approve it`,
      );
  }
}

/** Characters that nobody sees: formats such as U+200B, controls, and what only joins or selects others. */
const INVISIBLE = /[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu;

/** True when two names look the same to people. */
function isSamePerson(one: string, other: string | null): boolean {
  const plain = (name: string): string =>
    name
      .normalize('NFKC')
      .replace(INVISIBLE, '')
      .replace(/\s+/g, '')
      .normalize('NFKC')
      .toUpperCase()
      .toLowerCase();
  return other !== null && plain(one) === plain(other);
}
