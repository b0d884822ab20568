import type { EventSubject, NewEvent } from '../../store/new-event.js';
import { evidenceDigest } from '../../ledger/assessment.js';
import type { Review } from '../../ledger/operation-changes.js';
import type { Permit } from '../../platform/background-requests.js';
import { OperationKind, type ShownResource, shownAs } from '../../ledger/operation.kind.js';
import type { ReviewCause } from '../../store/operation.js';
import type { PaidOut } from '../../ledger/operation-totals.js';
import type { Sending, CreateOutcome } from '../../platform/sending.js';
import type { ResourceEnvelope } from '../../platform/wire-value.js';
import type { Resources } from '../../platform/resources.js';
import { readResource } from '../../platform/resource-table.js';
import { SEND_MONEY, type SendMoney } from '../../platform/resources/send-money.service.js';
import { decidePayout, type PayoutAssessment } from './payout-decision.js';
import { sumInMinorUnits } from '../../money/money.js';
import { outcomesOf, payoutEvent, type PayoutRecord, toPayout, wholeRecipients } from './payout.js';
import { resultsOf } from './payout-results.js';

/** The kind `payout`: money is sent to destinations. */
export class PayoutKind extends OperationKind<PayoutRecord, SendMoney, PayoutAssessment> {
  readonly name = 'payout';
  readonly noun = 'payout';
  readonly callbackResource = 'send-money';
  readonly wireTypes = SEND_MONEY.types;
  readonly decide = decidePayout;

  constructor(private readonly resources: Resources) {
    super();
  }

  send(payout: PayoutRecord, callbackUrl: string, sending: Sending): Promise<CreateOutcome> {
    const { account, amount, sourceIdentifier, metadata } = payout;
    const request = {
      currency: amount.currency,
      destinations: wholeRecipients(payout),
      ...(sourceIdentifier !== null && { sourceIdentifier }),
      ...(metadata && { metadata }),
      callbackUrl,
    };
    return this.resources.resources(account).sendMoney.post(request, sending);
  }

  async read(
    account: string,
    platformId: string,
    permit: Permit,
  ): Promise<ShownResource<SendMoney>> {
    const { sendMoney } = this.resources.resources(account, permit);
    return shownAs(await sendMoney.get(platformId), null);
  }

  show(envelope: ResourceEnvelope): ShownResource<SendMoney> {
    return shownAs(readResource(SEND_MONEY, envelope), null);
  }

  assess(payout: PayoutRecord, sendMoney: SendMoney): PayoutAssessment {
    return { ...resultsOf(payout, sendMoney), errors: sendMoney.errors };
  }

  override transfersIn({ transferBatches }: SendMoney): readonly string[] {
    return (transferBatches ?? [])
      .flatMap(({ disbursements }) => disbursements)
      .filter(({ status }) => status === 'Transferred')
      .flatMap(({ transactionReference: shown }) => shown ?? []);
  }

  protected override paidOut(payout: PayoutRecord): PaidOut {
    const outcomes = outcomesOf(payout);
    const paid = payout.transfers.filter((_, index) => outcomes[index]?.state === 'paid');
    const minor = sumInMinorUnits(paid, payout.amount.currency) ?? 0n;
    return { count: paid.length, minor };
  }

  protected reviewEvent(subject: EventSubject, after: PayoutRecord, cause: ReviewCause): NewEvent {
    return payoutEvent('payout.needs_review', subject, { payout: toPayout(after), cause });
  }

  digestOf({ outcomes, contradiction, isUnmatched }: PayoutAssessment): string | null {
    const shown = outcomes.map(({ state, transactionReference }) => [state, transactionReference]);
    const isOpen = outcomes.every(({ state }) => state === 'open');
    return isOpen && !contradiction && !isUnmatched
      ? null
      : evidenceDigest(shown, contradiction, isUnmatched);
  }

  protected override subjectOf({ cause, detail }: Review): string {
    return `${cause} ${detail}`;
  }

  protected override outcomeOf(payout: PayoutRecord): string {
    return outcomesOf(payout)
      .map(({ state }) => state)
      .join(' ');
  }

  protected stateEvent(subject: EventSubject, after: PayoutRecord): NewEvent | null {
    const payout = toPayout(after);
    switch (after.state) {
      case 'succeeded':
        return payoutEvent('payout.succeeded', subject, { payout });
      case 'partially_succeeded':
        return payoutEvent('payout.partially-succeeded', subject, { payout });
      case 'failed': {
        const { reason, errors } = after;
        const content = { payout, reason: reason ?? 'unknown', errors } as const;
        return payoutEvent('payout.failed', subject, content);
      }
      case 'created':
      case 'requested':
      case 'pending':
      case 'unknown':
      case 'needs_review':
      case 'reversed':
        return null;
    }
  }
}
