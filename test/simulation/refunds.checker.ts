import type { RefundRecord } from '../../libs/payments/src/operations/refunds/refund.js';
import { centsOf, isPartly } from './platform.truth.js';
import type { Simulation } from './history.simulation.js';

/** While a refund of the same money is in one of these states, another key must not refund it. */
const BLOCKS = new Set(['created', 'requested', 'pending', 'unknown', 'needs_review', 'succeeded']);

/** Failures for these reasons need no report of the platform. */
const OURS = new Set(['rejected', 'not_sent']);

/** Checks that money goes back once, and that a refund succeeds if and only if its money goes back. */
export class RefundsChecker {
  constructor(private readonly simulation: Simulation) {}

  recorded(refund: RefundRecord): void {
    this.simulation.checker.reports.refundRecorded(refund);
    for (const { kind, record } of this.simulation.observer.operations.values()) {
      if (kind !== 'refund' || !record || record.id === refund.id) continue;
      const other = record as RefundRecord;
      if (other.reference === refund.reference && BLOCKS.has(other.state))
        this.simulation.violate(
          'second refund',
          `${refund.idempotencyKey} was recorded while ${other.idempotencyKey} is ${other.state}`,
        );
    }
  }

  changed({
    state,
    reason,
    amount,
    idempotencyKey: key,
    reference,
    tillNumber,
  }: RefundRecord): void {
    const { simulation } = this;
    const truth = simulation.platform.reversals.ofKey(key);
    if (state === 'succeeded' && !truth?.moved)
      simulation.violate('refund without a reversal', `${key} succeeded, but nothing went back`);
    if (state === 'succeeded' && truth?.moved && truth.cents !== centsOf(amount.value))
      simulation.violate(
        'refund of another amount',
        `${key} of ${amount.value} succeeded, and ${truth.cents} cents went back`,
      );
    if (state === 'succeeded' && truth?.money.reference !== reference)
      simulation.violate('refund without a reversal', `${key} sent back other money`);
    if (state === 'succeeded') {
      this.noteOrder(reference);
      this.paymentIsReversed(key, reference, tillNumber);
    }
    if (state === 'failed' && !OURS.has(reason ?? '') && !truth?.deniedInRead)
      simulation.violate(
        'failure not confirmed',
        `${key} failed, but no answer to a read said minutes later that it was cancelled`,
      );
  }

  end({ state, platformId, cause, amount, idempotencyKey: key }: RefundRecord): void {
    const { simulation } = this;
    const truth = simulation.platform.reversals.ofKey(key);
    if (truth?.moved && state !== 'succeeded' && state !== 'needs_review')
      simulation.violate('refund not recognised', `${key} sent money back and is ${state}`);
    if (state === 'succeeded' && !truth?.moved)
      simulation.violate('refund without a reversal', `${key} succeeded, but nothing went back`);
    const isFinal =
      truth?.transferStatus === 'Transferred' || truth?.transferStatus === 'Cancelled';
    // A part may have gone back after the host had asked for the whole.
    const isConsistent = truth?.consistent && truth.cents === centsOf(amount.value);
    if (state === 'needs_review' && platformId !== null && isConsistent && isFinal)
      simulation.violate(
        'needless review',
        `${key} stays in review (${cause}), but the evidence is consistent`,
      );
  }

  /** The reversal is stored before the refund: a process that stops between the two must not leave a payment that succeeded. */
  private paymentIsReversed(key: string, reference: string, till: string): void {
    const { simulation } = this;
    const money = simulation.platform.moneys.find((each) => each.reference === reference);
    for (const { key: paid, kind, record } of simulation.observer.operations.values()) {
      if (kind === 'refund' || record?.state !== 'succeeded') continue;
      if (record.transaction?.reference !== reference) continue;
      // A person decides about the rest.
      if (money && isPartly(money)) continue;
      // Money that is recorded at two numbers without an alias may be two different moneys.
      const isSame = [record.transaction.tillNumber, ...record.tills].includes(till);
      if (!isSame && !(money && simulation.checker.isAtOneTill(money))) continue;
      // A person named the reference before any till had shown it. Then another till showed it, and a person was asked.
      if (!isSame && record.transaction.provenance === 'request' && this.wasAsked(paid, reference))
        continue;
      simulation.violate(
        'reversal ignored',
        `refund ${key} succeeded, and ${paid}, whose money it sent back, is still succeeded`,
      );
    }
  }

  private wasAsked(key: string, reference: string): boolean {
    const asked = this.simulation.checker.reviews.get(key) ?? [];
    const isAsked = asked.some((detail) => detail.includes(`${reference} was named by a person`));
    if (isAsked) this.simulation.reached('a named reference shown at another till asks a person');
    return isAsked;
  }

  private noteOrder(reference: string): void {
    const { simulation } = this;
    const money = simulation.platform.moneys.find((each) => each.reference === reference);
    if (!money) return;
    simulation.reached(
      simulation.checker.eventIds.has(`till.transaction.reversed ${money.id}`)
        ? 'refund succeeds after the event of the reversal'
        : 'refund succeeds before the event of the reversal',
    );
  }
}
