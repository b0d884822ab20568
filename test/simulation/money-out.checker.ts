import type { OperationRecord } from '../../libs/payments/src/operations/operation-forms.js';
import type { PaymentLinkRecord } from '../../libs/payments/src/operations/payment-links/payment-link.js';
import {
  isPayout,
  outcomesOf,
  type PayoutRecord,
} from '../../libs/payments/src/operations/payouts/payout.js';
import { isRefund, type RefundRecord } from '../../libs/payments/src/operations/refunds/refund.js';
import { LinksChecker } from './links.checker.js';
import { PayoutsChecker } from './payouts.checker.js';
import { restOf, type Money } from './platform.truth.js';
import { RefundsChecker } from './refunds.checker.js';
import type { ReplicaAccount } from './replica.account.js';
import type { Simulation } from './history.simulation.js';

/** The event of each outcome; a link that nobody paid has one of three. */
const OUTCOMES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  payout: {
    succeeded: ['payout.succeeded'],
    partially_succeeded: ['payout.partially-succeeded'],
    failed: ['payout.failed'],
  },
  refund: { succeeded: ['refund.succeeded'], failed: ['refund.failed'] },
  payment_link: {
    succeeded: ['payment-link.paid'],
    failed: ['payment-link.cancelled', 'payment-link.expired', 'payment-link.failed'],
    reversed: ['payment-link.reversed'],
  },
};

/** Checks the rules of payouts, refunds and payment links. */
export class MoneyOutChecker {
  private readonly payouts: PayoutsChecker;
  private readonly refunds: RefundsChecker;
  private readonly links: LinksChecker;

  constructor(private readonly simulation: Simulation) {
    this.payouts = new PayoutsChecker(simulation);
    this.refunds = new RefundsChecker(simulation);
    this.links = new LinksChecker(simulation);
  }

  /** The simulation calls this when an operation other than a payment is recorded. */
  recorded(record: OperationRecord): void {
    if (record.kind === 'payout') this.payouts.recorded(record as PayoutRecord);
    if (record.kind === 'refund') this.refunds.recorded(record as RefundRecord);
  }

  /** The simulation calls this when an operation other than a payment has changed. */
  changed(before: OperationRecord | null, record: OperationRecord): void {
    const { simulation } = this;
    const { kind, state, cause } = record;
    if (before && before.state !== state) {
      simulation.reached(`${kind} ${state}`);
      if (state === 'needs_review') simulation.reached(`${kind} in review: ${cause}`);
      if (before.state === 'unknown') simulation.reached(`${kind} of unknown outcome is ${state}`);
    }
    if (simulation.hosts.moneyOut.reviews.decided.has(record.id)) return;
    if (kind === 'payout')
      this.payouts.changed(before as PayoutRecord | null, record as PayoutRecord);
    if (kind === 'refund') this.refunds.changed(record as RefundRecord);
    if (kind === 'payment_link') this.links.changed(record as PaymentLinkRecord);
  }

  /** The simulation calls this when a payment or link is reversed. In some histories all processes die before its refund is committed. */
  reversed({ transaction, idempotencyKey: key }: OperationRecord): void {
    const { simulation } = this;
    const isBetween = (): boolean =>
      [...simulation.observer.operations.values()].some(
        ({ kind, record }) =>
          kind === 'refund' &&
          record?.state === 'pending' &&
          (record as RefundRecord).reference === transaction?.reference,
      );
    if (!isBetween()) return;
    const chance = simulation.chanceOf(simulation.nthOf(`crash after the reversal of ${key}`));
    if (!simulation.happens(chance, 'crash after a reversal')) return;
    simulation.scheduler.park(null, `all processes die after the reversal of ${key}`, () => {
      if (isBetween()) simulation.reached('crash between a reversal and the commit of its refund');
      for (const replica of simulation.processes.living())
        simulation.processes.crash(replica, chance.duration(10, 60_000));
    });
  }

  /** The simulation calls this when a process writes a create to the socket. */
  sent(_replica: ReplicaAccount, key: string): void {
    this.payouts.sent(key);
  }

  /** The simulation calls this when the event of money at a till names a link. */
  linkOfMoney(name: string, money: Money, linkId: string): void {
    const key = this.simulation.observer.operations.get(linkId)?.key;
    if (this.simulation.hosts.moneyOut.reviews.decided.has(linkId)) return;
    if (key === undefined || money.link?.key !== key)
      this.simulation.violate(
        'transaction of another payment',
        `${name} of ${money.reference} names link ${key}, but the money belongs to ${money.link?.key}`,
      );
    this.simulation.reached('till event with the id of a link');
  }

  end(): void {
    const { simulation } = this;
    for (const { record } of simulation.observer.operations.values()) {
      if (!record || record.kind === 'payment') continue;
      this.emitted(record);
      if (simulation.hosts.moneyOut.reviews.decided.has(record.id)) continue;
      if (record.kind === 'payout') this.payouts.end(record as PayoutRecord);
      if (record.kind === 'refund') this.refunds.end(record as RefundRecord);
      if (record.kind === 'payment_link') this.links.end(record as PaymentLinkRecord);
    }
    for (const { key, id, couldCharge } of simulation.platform.arrivals) {
      if (couldCharge && id !== null && !key.startsWith('b') && !simulation.observer.knownOf(key))
        simulation.violate('created without a record', `${key} is at the platform only`);
    }
    this.transfers();
    this.books();
  }

  /** Each transfer of the platform pays one destination, or sends one transaction back. */
  private transfers(): void {
    const owners = new Map<string, string>();
    for (const { record, key } of this.simulation.observer.operations.values()) {
      for (const reference of record ? transfersOf(record) : []) {
        if (reference === null) continue;
        const owner = owners.get(reference);
        if (owner !== undefined)
          this.simulation.violate(
            'transfer of two',
            `transfer ${reference} belongs to ${owner} and to ${key}`,
          );
        owners.set(reference, key);
      }
    }
  }

  /** Every outcome has an event. */
  private emitted({ kind, state, idempotencyKey: key }: OperationRecord): void {
    const { eventIds, reviews } = this.simulation.checker;
    const events = OUTCOMES[kind]?.[state];
    const isEmitted = events
      ? events.some((name) => eventIds.has(`${name} ${key}`))
      : state !== 'needs_review' || reviews.has(key);
    if (!isEmitted)
      this.simulation.violate('missing event', `${key} is ${state}, but no event was emitted`);
  }

  /** The balance of the platform equals the money that came in minus the money that left. */
  private books(): void {
    const { platform, plan } = this.simulation;
    let cents = plan.settings.openingCents;
    for (const money of [...platform.moneys, ...platform.tills.usedAgain]) cents += restOf(money);
    for (const { transfers } of platform.payouts.all.values())
      for (const transfer of transfers) if (transfer.moved) cents -= transfer.cents;
    if (cents !== platform.funds.balance)
      this.simulation.violate(
        'books',
        `the balance is ${platform.funds.balance} cents, and the movements say ${cents}`,
      );
  }
}

/** Returns references of the transfers that an operation names as its own. */
function transfersOf(record: OperationRecord): readonly (string | null)[] {
  if (isPayout(record)) return outcomesOf(record).map((each) => each.transactionReference);
  return isRefund(record) ? [record.outcome?.reference ?? null] : [];
}
