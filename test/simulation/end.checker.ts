import type {
  PaymentRecord,
  PaymentState,
} from '../../libs/payments/src/operations/payments/payment.js';
import {
  hasReadableAmount,
  hasReadableTime,
  isPartly,
  isReadablePart,
  MATCH_WINDOW_MS,
  PHONES,
  PRICES,
  TILLS,
  type Money,
} from './platform.truth.js';
import type { OperationRecord } from '../../libs/payments/src/operations/operation-forms.js';
import type { PayoutRecord } from '../../libs/payments/src/operations/payouts/payout.js';
import type { ObservedOperation } from './store.observer.js';
import { LISTENERS } from './simulated.listeners.js';
import type { Simulation } from './history.simulation.js';

const SETTLED = new Set(['succeeded', 'partially_succeeded', 'failed', 'reversed', 'needs_review']);
const CHARGE_IS_KNOWN = new Set(['succeeded', 'reversed', 'needs_review']);

/** Causes of reviews that settle by proof, without a person. */
export const SELF_SETTLING = new Set(['no_evidence', 'no_transaction', 'ambiguous']);

const OUTCOMES: Partial<Record<PaymentState, string>> = {
  succeeded: 'payment.succeeded',
  failed: 'payment.failed',
  reversed: 'payment.reversed',
};

/** A review is read at least once in this time, also from the second day on. */
const REVIEW_READ_MS = 26 * 3_600_000;

/** Compares the final state of the library with the truth of the platform, after the faults have stopped. */
export class EndChecker {
  constructor(private readonly simulation: Simulation) {}

  /** Every operation is settled, except a payout that waits for approval. */
  settled(): void {
    for (const { key, kind, record } of this.simulation.observer.operations.values()) {
      if (record && !SETTLED.has(record.state) && !isHeld(record)) {
        this.simulation.violate('not settled', `${kind} ${key} is still ${record.state}`);
      }
    }
  }

  /** True when no operation can still change without a person. */
  isSettled(): boolean {
    return [...this.simulation.observer.operations.values()].every(
      ({ record }) => !record || SETTLED.has(record.state) || isHeld(record),
    );
  }

  check(): void {
    this.settled();
    for (const { record, isMatched } of this.simulation.observer.payments.values()) {
      if (record) this.payment(record, isMatched === true);
    }
    this.moneyOfTwo();
    for (const { key, payment } of this.simulation.platform.arrivals) {
      if (payment?.money && !key.startsWith('b') && !this.simulation.observer.ofKey(key)) {
        this.simulation.violate(
          'charge not recognised',
          `${key} was charged, but no payment is recorded`,
        );
      }
    }
    for (const money of this.simulation.platform.moneys) this.till(money);
    this.everyTransactionEmitted();
    this.bareResults();
    this.simulation.moneyOut.end();
    this.simulation.checker.reports.end();
    this.listeners();
  }

  private payment(record: PaymentRecord, isMatched: boolean): void {
    const { simulation } = this;
    const key = record.idempotencyKey;
    const decided = simulation.hosts.decided.has(record.id);
    const moneys = simulation.platform.moneys.filter(({ request }) => request?.key === key);
    const charged = moneys.length > 0;
    if (charged && !decided && !CHARGE_IS_KNOWN.has(record.state)) {
      simulation.violate(
        'charge not recognised',
        `${key} was charged and is ${record.state} (${record.reason})`,
      );
    }
    const own =
      record.platformId === null ? null : simulation.platform.payments.get(record.platformId);
    if (record.platformId !== null && own?.key !== key) {
      simulation.violate(
        'platform id of another payment',
        `${key} has a platform id that belongs to ${own?.key}`,
      );
    }
    const { transaction } = record;
    const money = transaction && simulation.checker.moneyOf(transaction);
    if (transaction && money && !decided) {
      const rightful =
        money.request?.key === key ||
        // It was matched while both payments could own the money. The platform may show the owner hours later.
        (isMatched && simulation.checker.isIndistinguishable(money, key));
      if (!rightful)
        simulation.violate(
          'transaction of another payment',
          `${key} has the transaction ${money.reference}, which it cannot own`,
        );
    }
    if (record.state === 'succeeded' && !charged && !money)
      simulation.violate('success without a charge', `${key} succeeded, but nobody paid`);
    const reversal = money?.reversedAt ?? null;
    if (
      record.state === 'succeeded' &&
      reversal !== null &&
      !isPartly(money as Money) &&
      !decided
    ) {
      simulation.violate(
        'reversal ignored',
        `${key} is succeeded, but its transaction ${money?.reference} was reversed`,
      );
    }
    this.emitted(record);
    if (!decided) this.believed(record);
    if (!decided) this.found(record);
  }

  /** Every outcome has an event. */
  private emitted({ idempotencyKey: key, state }: PaymentRecord): void {
    const { eventIds, reviews } = this.simulation.checker;
    const event = OUTCOMES[state as PaymentState];
    const isEmitted = event
      ? eventIds.has(`${event} ${key}`)
      : state !== 'needs_review' || reviews.has(key);
    if (!isEmitted)
      this.simulation.violate('missing event', `${key} is ${state}, but no event was emitted`);
  }

  /** A payment without a platform id is matched to money that only it can own and that was listed long ago. */
  private found(record: PaymentRecord): void {
    const { simulation } = this;
    const { platform, scheduler } = simulation;
    const key = record.idempotencyKey;
    if (record.state !== 'needs_review' || record.platformId !== null || !record.sentAt) return;
    if (!SELF_SETTLING.has(record.cause ?? '')) return;
    const { phoneNumber } = record.subscriber;
    const value = Number(record.amount.value);
    const isLike = (phone: string, amount: string | number): boolean =>
      phone === phoneNumber && Number(amount) === value;
    const truths = [...platform.payments.values()].filter(({ phone, amount }) =>
      isLike(phone, amount),
    );
    const others = [...simulation.observer.payments.values()].filter(
      (known) =>
        known.key !== key &&
        known.record &&
        isLike(known.record.subscriber.phoneNumber, known.record.amount.value),
    );
    // A bare request may own the money even if it never reached the platform.
    const isAskedBare = simulation.plan.operations.some(
      (each) =>
        each.kind === 'bare' &&
        isLike(PHONES[each.customer] as string, PRICES[each.price] as string),
    );
    if (isAskedBare) return;
    // A link of the same amount may own the money too.
    const isLinkOf = ({ kind, record: other }: ObservedOperation): boolean =>
      kind === 'payment_link' && Number(other?.amount.value) === value;
    if ([...simulation.observer.operations.values()].some(isLinkOf)) return;
    const [truth] = truths;
    if (truths.length !== 1 || truth?.key !== key || others.length > 0) return;
    const moneys = platform.moneys.filter(({ amount }) => Number(amount) === value);
    const mayFit = moneys.filter(
      ({ phone, showsPayer }) => phone === phoneNumber || showsPayer !== 'phone',
    );
    const [money] = mayFit;
    if (mayFit.length !== 1 || !money || money !== truth.money || !isReadable(money)) return;
    // Money with a part that cannot be read may belong to any payment at its till.
    const isBesideUnread = platform.moneys.some(
      (other) => other !== money && other.till === money.till && !isReadable(other),
    );
    if (isBesideUnread) return;
    // One reference at two tills may be one transaction or two. A person decides.
    const isShared = platform.moneys.some(
      (other) => other !== money && other.reference === money.reference,
    );
    if (isShared) return;
    if (money.tillSays.phone !== undefined) return;
    if (!truth.consistent || money.reversedAt !== null || money.showsPayer === 'nothing') return;
    const since = Math.max(money.listedAt, simulation.listsAwayUntil);
    if (since > scheduler.now - REVIEW_READ_MS || simulation.rate('till form swapped') > 0) return;
    const after = money.at + platform.offsetMs - record.sentAt.getTime();
    if (after < 0 || after > MATCH_WINDOW_MS) return;
    simulation.violate(
      'needless review',
      `${key} stays in review (${record.cause}), but no other payment can own ${money.reference}`,
    );
  }

  /** A payment does not stay in review if the platform's evidence is consistent. */
  private believed(record: PaymentRecord): void {
    const { simulation } = this;
    const key = record.idempotencyKey;
    if (record.state !== 'needs_review') return;
    const truth = [...simulation.platform.payments.values()].find((payment) => payment.key === key);
    const { aliases } = simulation.plan.settings;
    // A payment keeps the till numbers that an alias joined when it was recorded.
    const aliased =
      aliases === 'always' ||
      (aliases === 'removed' && record.createdAt.getTime() < simulation.aliasesRemovedAt) ||
      simulation.rate('till form swapped') === 0;
    if (!truth?.consistent || !aliased) return;
    if (truth.money && truth.money.reversedAt !== null) return;
    const said = truth.status === 'Success' || truth.status === 'Failed';
    if (!said) return;
    // It was matched to money that was reversed later. Such a review waits for a person.
    if (truth.status === 'Failed' && record.cause === 'reversed') return;
    // Its reference was reported at another till, too.
    const { moneys } = simulation.platform;
    const named = moneys.filter(({ reference }) => reference === truth.money?.reference);
    if (named.length > 1 && record.cause === 'reports_differ') return;
    if (record.platformId !== null) {
      simulation.violate(
        'needless review',
        `${key} stays in review (${record.cause}), but the platform always says ${truth.status}`,
      );
    }
  }

  private moneyOfTwo(): void {
    const owners = new Map<string, string>();
    for (const { record, key } of this.simulation.observer.payments.values()) {
      const reference = record?.transaction?.reference;
      if (!record?.transaction || !reference) continue;
      if (record.state !== 'succeeded' && record.state !== 'reversed') continue;
      // One reference at two tills without an alias is two transactions.
      const moved = this.simulation.checker.moneyOf(record.transaction)?.id ?? reference;
      const isJoined = this.simulation.plan.settings.aliases === 'always';
      const money = isJoined ? moved : `${moved} ${record.transaction.tillNumber}`;
      const other = owners.get(money);
      if (other !== undefined) {
        this.simulation.violate(
          'transaction of two payments',
          `${reference} is the transaction of both ${other} and ${key}`,
        );
      }
      owners.set(money, key);
    }
  }

  /** A transaction in a signed callback is the payment's own, or a review event names it. */
  private everyTransactionEmitted(): void {
    const { simulation } = this;
    for (const { key, record } of simulation.observer.payments.values()) {
      if (!record || simulation.hosts.decided.has(record.id)) continue;
      for (const { request, reference, shownApplied } of simulation.platform.moneys) {
        if (request?.key !== key || !shownApplied || record.platformId !== request.id) continue;
        if (record.transaction?.reference === reference) continue;
        const emitted = simulation.checker.reviews.get(key) ?? [];
        if (emitted.some((detail) => detail.includes(reference))) continue;
        simulation.violate(
          'second transaction not emitted',
          `${reference} was shown for ${key}, but no event was emitted`,
        );
      }
    }
  }

  /** The result of a bare request is emitted once after its callback was accepted. */
  private bareResults(): void {
    for (const { key, id, resultApplied } of this.simulation.platform.payments.values()) {
      if (!key.startsWith('b') || !resultApplied) continue;
      const emitted = this.simulation.checker.bareResults.get(id) ?? 0;
      if (emitted !== 1)
        this.simulation.violate(
          'bare result not emitted once',
          `the result of ${key} was emitted ${emitted} times`,
        );
    }
  }

  private till(money: Money): void {
    const { simulation } = this;
    const { eventIds } = simulation.checker;
    const received = eventIds.get(`till.transaction.received ${money.id}`)?.size ?? 0;
    const reversed = eventIds.get(`till.transaction.reversed ${money.id}`)?.size ?? 0;
    // Sweeps emit no events for transactions before the first start.
    const { tills } = simulation.plan.settings;
    const isOwn = money.till === TILLS[0];
    if (!isOwn && tills === 'own' && received + reversed > 0)
      simulation.violate(
        'event of an unlisted till',
        `${money.reference} was emitted, but its till is not in the account's list`,
      );
    if (!isOwn && tills !== 'all') return;
    const isNew = money.at > simulation.firstReadyAt || money.receivedApplied;
    // Sweeps begin at the time that the first process read from its clock.
    const rule = simulation.clocksAreRight
      ? 'missing till event'
      : 'missing till event after a wrong clock';
    const key = money.request?.key ?? '';
    const payment = simulation.observer.ofKey(key);
    // A person may name money of which only the reversal was ever shown.
    const isNamed = payment !== null && simulation.hosts.decided.has(payment.id);
    const succeeded = money.shownApplied && !isNamed && eventIds.has(`payment.succeeded ${key}`);
    // When only its URL verifies a webhook, a list must confirm it. Money that has gone back is listed only as reversed.
    const isProven = money.receivedApplied && simulation.plan.settings.verification !== 'url';
    const isKnown = isProven || succeeded;
    // The money waits for a report of its till whose amount can be read.
    const isUnread = !hasReadableAmount(money) || !isReadablePart(money);
    const waits = isUnread && !money.receivedApplied;
    if (isNew && !waits && received === 0 && (money.reversedAt === null || isKnown)) {
      simulation.violate(rule, `no received event for ${money.reference} was emitted`);
    }
    const isNewReversal = money.at > simulation.firstReadyAt || money.reversalApplied;
    const isWritten = isReadablePart(money);
    if (isNewReversal && isWritten && money.reversedAt !== null && reversed === 0) {
      simulation.violate(rule, `no reversal event for ${money.reference} was emitted`);
    }
  }

  private listeners(): void {
    const { simulation } = this;
    for (const { id, name } of simulation.observer.events.values()) {
      for (const listener of LISTENERS) {
        if (
          listener.event !== name ||
          simulation.checker.listeners.receivedBy.has(`${listener.id} ${id}`)
        )
          continue;
        simulation.violate(
          'missing listener call',
          `${listener.id} never received ${name} ${id.slice(0, 8)}`,
        );
      }
    }
  }
}

/** True when lists show a time and an amount of it that can be read. */
function isReadable(money: Money): boolean {
  return hasReadableTime(money) && hasReadableAmount(money);
}

/** True when it waits for the approval of a second person. */
function isHeld(record: OperationRecord): boolean {
  if (record.kind !== 'payout' || record.state !== 'created') return false;
  const { needsApproval, approvedBy } = record as PayoutRecord;
  return needsApproval && approvedBy === null;
}
