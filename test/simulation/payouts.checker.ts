import {
  wholeRecipients,
  type PayoutRecord,
} from '../../libs/payments/src/operations/payouts/payout.js';
import type { SendMoneyDestination } from '../../libs/payments/src/platform/resources/create-send-money.dto.js';
import { identityOfRecipient } from './payout.places.js';
import { centsOf, type PlatformPayout } from './platform.truth.js';
import type { Simulation } from './history.simulation.js';

const DAY_MS = 86_400_000;

/** Failures for these reasons need no report of the platform. */
const OURS = new Set(['rejected', 'not_sent', 'declined']);

/** The known facts about all destinations that nobody can tell apart. */
interface Group {
  identity: string;
  paid: number;
  failed: number;
  references: string[];
}

/** Checks that payouts pay each destination once, and that the result of each is true. */
export class PayoutsChecker {
  constructor(private readonly simulation: Simulation) {}

  recorded(payout: PayoutRecord): void {
    this.withinLimits(payout);
  }

  /** A payout that needs approval is sent only after a second person has approved it. */
  sent(key: string): void {
    const { simulation } = this;
    const payout = simulation.observer.operationOf(key);
    if (payout?.kind !== 'payout') return;
    const { approveFrom } = simulation.plan.settings.limits;
    if (approveFrom === undefined || this.mostToOne(payout as PayoutRecord) < centsOf(approveFrom))
      return;
    const { approvers, askers } = simulation.hosts.moneyOut;
    const asker = askers.get(key);
    const isApproved = [...(approvers.get(key) ?? [])].some((by) => by !== asker);
    const by = payout.approvedBy;
    if (isApproved && by !== null && by !== asker) {
      simulation.reached('payout sent after its approval');
      return;
    }
    simulation.violate('sent without approval', `${key} of ${asker} is sent, approved by ${by}`);
  }

  /** Returns the amount that a payout sends to one destination, or that the destination gets in a day with it, if that is more. */
  private mostToOne(payout: PayoutRecord): number {
    const before = this.others(payout).filter(
      ({ state, cause, createdAt }) =>
        state !== 'failed' &&
        cause !== 'paid_after_failure' &&
        createdAt <= payout.createdAt &&
        createdAt.getTime() > payout.createdAt.getTime() - DAY_MS,
    );
    const sums = wholeRecipients(payout).map((recipient) =>
      [payout, ...before]
        .flatMap(wholeRecipients)
        .filter((each) => isOneDestination(each, recipient))
        .reduce((sum, { amount }) => sum + centsOf(amount), 0),
    );
    return Math.max(centsOf(payout.amount.value), ...sums);
  }

  changed(before: PayoutRecord | null, payout: PayoutRecord): void {
    const { simulation } = this;
    if (before) this.keepsResults(before, payout);
    const { state, reason, idempotencyKey: key } = payout;
    const truth = simulation.platform.payouts.ofKey(key);
    if (state === 'partially_succeeded' || state === 'succeeded') this.areTrue(payout, truth);
    const isFailure = state === 'failed' && !OURS.has(reason ?? '');
    if (!isFailure && state !== 'partially_succeeded') return;
    for (const { identity, failed } of groupsOf(payout)) {
      const denied = (truth?.transfers ?? []).filter(
        (transfer) => transfer.identity === identity && transfer.deniedInRead,
      );
      if (failed > 0 && denied.length > 0)
        simulation.reached('a read confirms that a transfer was cancelled');
      if (failed > denied.length)
        simulation.violate(
          'failure not confirmed',
          `${key} is ${state}, but no answer to a read said minutes later that it was cancelled`,
        );
    }
  }

  /** A known result of a destination stays. Only a person replaces a result, and only a transfer replaces a failure in review. */
  private keepsResults(before: PayoutRecord, payout: PayoutRecord): void {
    const isInReview = payout.state === 'needs_review';
    if (before.state === 'needs_review' && !isInReview) return;
    const after = new Map(groupsOf(payout).map((group) => [group.identity, group]));
    for (const { identity, paid, failed } of groupsOf(before)) {
      const now = after.get(identity);
      // Nobody knows which of several equal destinations is paid. It may be one that had failed, so we count their failures anew.
      const mayFail =
        isInReview || (now !== undefined && (now.failed >= failed || now.paid > paid));
      if (now && now.paid >= paid && mayFail) continue;
      this.simulation.violate(
        'result lost',
        `${payout.idempotencyKey} knew ${paid} paid and ${failed} failed of ${identity}, and knows ${now?.paid} and ${now?.failed}`,
      );
    }
  }

  end(payout: PayoutRecord): void {
    const { simulation } = this;
    const { state, platformId, idempotencyKey: key } = payout;
    const truth = simulation.platform.payouts.ofKey(key);
    const moved = (truth?.transfers ?? []).filter((transfer) => transfer.moved);
    if (platformId !== null && truth?.id !== platformId)
      simulation.violate(
        'platform id of another payment',
        `${key} has the platform id ${platformId}`,
      );
    if (state === 'succeeded' || state === 'partially_succeeded') this.areTrue(payout, truth);
    else if (moved.length > 0 && state !== 'needs_review')
      simulation.violate('payout not recognised', `${key} has paid and is ${state}`);
    if (state === 'partially_succeeded') this.allPaidAreKnown(payout, truth);
    const isWhole = truth?.transfers.every(
      ({ hidden, status }) => hidden.size === 0 && status !== null,
    );
    if (state === 'needs_review' && platformId !== null && truth?.consistent && isWhole)
      simulation.violate(
        'needless review',
        `${key} stays in review (${payout.cause}: ${payout.causeDetail}), but the evidence is consistent`,
      );
  }

  /** Every destination that the library calls paid was paid, and every other one was not. */
  private areTrue(payout: PayoutRecord, truth: PlatformPayout | null): void {
    const { simulation } = this;
    for (const { identity, paid, references } of groupsOf(payout)) {
      const moved = (truth?.transfers ?? []).filter(
        (transfer) => transfer.identity === identity && transfer.moved,
      );
      if (paid > moved.length)
        simulation.violate(
          'paid without a transfer',
          `${payout.idempotencyKey} is ${payout.state} with ${paid} paid of ${identity}, it was ${moved.length}`,
        );
      const known = new Set(moved.map(({ reference }) => reference));
      if (references.some((reference) => !known.has(reference)))
        simulation.violate(
          'reference of another destination',
          `${payout.idempotencyKey} names ${references.join(', ')} for ${identity}`,
        );
    }
    const faulty = (truth?.transfers ?? []).some(
      ({ status, errors }) => status === 'Transferred' && errors !== null,
    );
    if (faulty)
      simulation.violate(
        'errors ignored',
        `${payout.idempotencyKey} is ${payout.state}, but the platform names errors`,
      );
  }

  private allPaidAreKnown(payout: PayoutRecord, truth: PlatformPayout | null): void {
    for (const { identity, paid } of groupsOf(payout)) {
      const moved = (truth?.transfers ?? []).filter(
        (transfer) => transfer.identity === identity && transfer.moved,
      );
      if (moved.length > paid)
        this.simulation.violate(
          'payout not recognised',
          `${payout.idempotencyKey} says that ${identity} was paid ${paid} times, it was ${moved.length}`,
        );
    }
  }

  private withinLimits(payout: PayoutRecord): void {
    const { simulation } = this;
    const { perPayout, perDay } = simulation.plan.settings.limits;
    const cents = centsOf(payout.amount.value);
    if (perPayout !== undefined && cents > centsOf(perPayout))
      simulation.violate('above the limit', `${payout.idempotencyKey} pays ${cents} cents`);
    if (perDay === undefined) return;
    const since = payout.createdAt.getTime() - DAY_MS;
    const used = this.others(payout)
      .filter(({ state, createdAt }) => state !== 'failed' && createdAt.getTime() > since)
      .reduce((sum, { amount }) => sum + centsOf(amount.value), cents);
    if (used > centsOf(perDay))
      simulation.violate(
        'above the limit',
        `with ${payout.idempotencyKey} the payouts of a day are ${used} cents`,
      );
  }

  private others({ id }: PayoutRecord): PayoutRecord[] {
    return [...this.simulation.observer.operations.values()].flatMap(({ kind, record }) =>
      kind === 'payout' && record && record.id !== id ? [record as PayoutRecord] : [],
    );
  }
}

function groupsOf(payout: PayoutRecord): Group[] {
  const { outcome } = payout;
  const groups = new Map<string, Group>();
  wholeRecipients(payout).forEach((recipient, place) => {
    const identity = identityOfRecipient(recipient);
    const group = groups.get(identity) ?? { identity, paid: 0, failed: 0, references: [] };
    const known = outcome?.[place];
    if (known?.state === 'paid') group.paid += 1;
    if (known?.state === 'failed') group.failed += 1;
    if (known?.state === 'paid' && known.transactionReference !== null)
      group.references.push(known.transactionReference);
    groups.set(identity, group);
  });
  return [...groups.values()];
}

function isOneDestination(...both: [SendMoneyDestination, SendMoneyDestination]): boolean {
  const [one, other] = both.map((each) => identityOfRecipient({ ...each, amount: '0' }));
  return one === other;
}
