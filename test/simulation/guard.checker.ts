import {
  wholeRecipients,
  type PayoutRecord,
} from '../../libs/payments/src/operations/payouts/payout.js';
import type { OperationRecord } from '../../libs/payments/src/operations/operation-forms.js';
import { identityOfRecipient } from './payout.places.js';
import { TILLS } from './platform.truth.js';
import type { Simulation } from './history.simulation.js';

/** States in which nobody knows whether the money moves. */
const OPEN = new Set(['created', 'requested', 'pending', 'unknown', 'needs_review']);

const PAID = new Set(['succeeded', 'partially_succeeded']);

/** An equal payout is refused for this time after one was paid, in full or in part: its host may not know that yet. */
const PAID_BLOCKS_FOR_MS = 10 * 60_000;

/**
 * While an operation is not final, no other operation for the same money is recorded or approved, unless it names that operation. An order
 * is paid once. The rule uses only states, and no reads, lists or times.
 */
export class GuardChecker {
  constructor(private readonly simulation: Simulation) {}

  recorded(record: OperationRecord): void {
    this.check(record, record.createdAt, 'recorded');
  }

  approved(record: OperationRecord): void {
    this.check(record, record.updatedAt, 'approved');
  }

  private check(record: OperationRecord, at: Date, what: string): void {
    const { simulation } = this;
    for (const { record: other } of simulation.observer.operations.values()) {
      if (!other || other.id === record.id) continue;
      // The other operation changed after that moment, so the recording could not know its present state.
      if (other.createdAt > at || other.updatedAt > at) continue;
      const said = `${record.idempotencyKey} was ${what} while ${other.idempotencyKey} is ${other.state} (${other.cause})`;
      const isPassed = record.besides.includes(other.id);
      const isPaid = PAID.has(other.state);
      if (isPassed && isPaid) simulation.violate('a paid operation was passed', said);
      if (isPassed && OPEN.has(other.state))
        simulation.reached('an operation in the way was passed');
      if (OPEN.has(other.state) && !isPassed && this.isSame(record, other))
        simulation.violate(`parallel ${record.kind}`, said);
      if (isPaid && isOneOrder(record, other)) simulation.violate('an order was paid twice', said);
      const sincePaidMs = at.getTime() - other.updatedAt.getTime();
      if (isPaid && other.kind === 'payout' && sincePaidMs < PAID_BLOCKS_FOR_MS)
        if (this.isSame(record, other)) simulation.violate('parallel payout', said);
    }
  }

  /** True when two operations ask for, or send, the same money. */
  private isSame(one: OperationRecord, other: OperationRecord): boolean {
    if (isOneOrder(one, other)) return true;
    if (one.kind !== other.kind) return false;
    if (one.kind === 'payout') {
      const own = new Set(wholeRecipients(one as PayoutRecord).map(identityOfRecipient));
      return wholeRecipients(other as PayoutRecord).some((recipient) =>
        own.has(identityOfRecipient(recipient)),
      );
    }
    if (!('subscriber' in one && 'subscriber' in other)) return false;
    return (
      one.subscriber.phoneNumber === other.subscriber.phoneNumber &&
      one.amount.value === other.amount.value &&
      this.isOneTill(one.tillNumber, other.tillNumber)
    );
  }

  private isOneTill(one: string, other: string): boolean {
    if (one === other) return true;
    const areJoined = this.simulation.plan.settings.aliases === 'always';
    return areJoined && TILLS.some(({ forms }) => forms.includes(one) && forms.includes(other));
  }
}

function isOneOrder(one: OperationRecord, other: OperationRecord): boolean {
  return 'order' in one && 'order' in other && one.order !== null && one.order === other.order;
}
