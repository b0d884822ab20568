import type { OperationRecord } from '../../libs/payments/src/operations/operation-forms.js';
import type { RefundRecord } from '../../libs/payments/src/operations/refunds/refund.js';
import {
  hasReadableAmount,
  hasReadableTime,
  isAmount,
  isPartly,
  isReadablePart,
  restOf,
  centsOf,
  TILLS,
  type Money,
} from './platform.truth.js';
import type { Simulation } from './history.simulation.js';

/** Checks the handling of reports that are unreadable, that contradict each other, or that name only a part as gone back. */
export class ReportsChecker {
  /** Causes of the review events of each operation, by idempotency key. */
  private readonly causes = new Map<string, Set<string>>();
  /** The recorded anomalies, each with the reference that it names. */
  private readonly anomalies: { what: string; example: string }[] = [];
  /** The amount that a refund must have, in cents, by idempotency key. Its host asked for it when the event of a part was emitted. */
  private readonly rests = new Map<string, number>();

  constructor(private readonly simulation: Simulation) {}

  reviewed(key: string, cause: string, reference: string | null): void {
    this.causes.set(key, (this.causes.get(key) ?? new Set()).add(cause));
    const { platform } = this.simulation;
    const money = platform.moneys.find((each) => each.reference === reference);
    if (cause === 'reversed' && money && isPartly(money) && restOf(money) > 0)
      this.simulation.violate(
        'part counted as whole',
        `${key} is in review because ${reference} was reversed, and ${money.reversalSays} went back`,
      );
    if (cause === 'reports_differ') this.simulation.reached('reports that differ ask a person');
    if (cause === 'other_amount_reversed')
      this.simulation.reached('a reversal of another amount asks a person');
  }

  anomalyRecorded(what: string, example: string): void {
    this.anomalies.push({ what, example });
    if (what.startsWith('reference_used_again'))
      this.simulation.reached('anomaly of a reference that is used again');
  }

  /** True when a report of money may name this amount. */
  mayNameAmount(money: Money, amount: string | null, isReversal: boolean): boolean {
    const { platform } = this.simulation;
    const named = isReversal
      ? [money.amount, money.reversalSays, ...this.refundsOf(money).map((cents) => cents / 100)]
      : [
          money.amount,
          money.tillSays.amount,
          ...platform.tills.usedAgain
            .filter(({ reference }) => reference === money.reference)
            .map((again) => again.amount),
        ];
    return named.some((each) => isAmount(each) && Number(each) === Number(amount));
  }

  /** The simulation calls this when an operation becomes reversed. */
  reversed(record: OperationRecord): void {
    const { simulation } = this;
    const { transaction, idempotencyKey: key } = record;
    const money = transaction && simulation.checker.moneyOf(transaction);
    if (!money || !isPartly(money) || restOf(money) <= 0 || this.isDecided(record)) return;
    simulation.violate(
      'part counted as whole',
      `${key} is reversed, but only ${money.reversalSays} of ${money.reference} went back`,
    );
  }

  /** The simulation calls this when a host asks for a refund of this money. */
  refundAsked(key: string, money: Money): void {
    const isEmitted = this.simulation.checker.eventIds.has(`till.transaction.reversed ${money.id}`);
    // At two numbers of a till without an alias, the money is two sums.
    const isOneSum = this.simulation.rate('till form swapped') === 0;
    if (isEmitted && isOneSum && isPartly(money) && isReadablePart(money))
      this.rests.set(key, restOf(money));
  }

  refundRecorded({ idempotencyKey, amount }: RefundRecord): void {
    const rest = this.rests.get(idempotencyKey.replace(/(-twin|')+$/, ''));
    if (rest === undefined) return;
    this.simulation.reached('refund of the rest');
    if (centsOf(amount.value) !== rest)
      this.simulation.violate(
        'refund of another amount',
        `${idempotencyKey} is of ${amount.value}, and ${rest} cents are left of its money`,
      );
  }

  end(): void {
    for (const { record } of this.simulation.observer.operations.values()) {
      if (record && !this.isDecided(record)) this.asked(record);
    }
    const { moneys, tills } = this.simulation.platform;
    for (const money of moneys) this.unread(money);
    for (const again of tills.usedAgain) {
      const { reference, receivedApplied } = again;
      if (
        receivedApplied &&
        this.isOwn(again) &&
        !this.isAnomaly('reference_used_again', reference)
      )
        this.simulation.violate(
          'nothing said of a reference that is used again',
          `${reference} was reported again with another payer, and no anomaly says so`,
        );
    }
  }

  /** A person decides wherever reports of the money of a paid operation contradict each other. */
  private asked({
    kind,
    state,
    platformId,
    transaction,
    idempotencyKey: key,
  }: OperationRecord): void {
    const { simulation } = this;
    if (state !== 'succeeded' || (kind !== 'payment' && kind !== 'payment_link')) return;
    const money = transaction && simulation.checker.moneyOf(transaction);
    if (!money || !transaction) return;
    const causes = this.causes.get(key) ?? new Set();
    if (isPartly(money) && !causes.has('other_amount_reversed'))
      simulation.violate(
        'nobody asked about a part',
        `${key} is succeeded, and nobody is asked about the ${money.reversalSays} that went back`,
      );
    const isToldByTill = money.receivedApplied || (money.wasListed && hasReadableAmount(money));
    const { tillSays, request } = money;
    if (platformId === null || request?.key !== key || !isToldByTill || !this.isOwn(money)) return;
    if (tillSays.amount !== undefined && !causes.has('reports_differ'))
      simulation.violate(
        'nobody asked about reports that differ',
        `${key} is succeeded by ${money.amount}, its till says ${tillSays.amount}, and nobody is asked`,
      );
    const isShown = money.shownApplied && money.receivedApplied;
    if (tillSays.phone === undefined || !isShown || simulation.rate('till form swapped') > 0)
      return;
    if (!this.isAnomaly('reference_used_again', money.reference))
      simulation.violate(
        'nothing said of a reference that is used again',
        `${money.reference} was reported with two payers, and no anomaly says so`,
      );
  }

  /** A field of a listed transaction that cannot be read is an anomaly. */
  private unread(money: Money): void {
    if (!money.wasListed || money.reversedAt !== null || !this.isOwn(money)) return;
    const fields = [
      ...(hasReadableAmount(money) ? [] : ['amount']),
      ...(hasReadableTime(money) ? [] : ['origination_time']),
    ];
    for (const field of fields)
      if (!this.isAnomaly(`transaction with an unreadable ${field}`, money.reference))
        this.simulation.violate(
          'nothing said of an unreadable item',
          `${money.reference} was listed with an unreadable ${field}, and no anomaly says so`,
        );
  }

  private isAnomaly(begin: string, reference: string): boolean {
    return this.anomalies.some(
      ({ what, example }) => what.startsWith(begin) && example === reference,
    );
  }

  /** True when the account takes money of this till during the whole history. */
  private isOwn({ till }: Money): boolean {
    const { tills } = this.simulation.plan.settings;
    return tills === 'all' || till === TILLS[0];
  }

  private isDecided({ id }: OperationRecord): boolean {
    const { hosts } = this.simulation;
    return hosts.decided.has(id) || hosts.moneyOut.reviews.decided.has(id);
  }

  /** Returns the amounts of this money that refunds have sent back, in cents. */
  private refundsOf(money: Money): number[] {
    return [...this.simulation.platform.reversals.all.values()]
      .filter((reversal) => reversal.money === money && reversal.moved)
      .map(({ cents }) => cents);
  }
}
