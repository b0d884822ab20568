import type { AnyCreate, Creation } from './platform.exchange.js';
import {
  changesItsMindIn,
  FAILURES,
  isMinutesAgo,
  PlatformResources,
} from './platform.resources.js';
import { centsOf, restOf, type Money, type PlatformReversal } from './platform.truth.js';
import type { Chance } from './seeded.chance.js';

interface CreateBody extends AnyCreate {
  transaction_reference: string;
  reason: string;
}

/** Requests to send received money back. They need the balance for it. */
export class PlatformReversals extends PlatformResources<PlatformReversal> {
  protected readonly type = 'reversal';
  protected readonly path = '/api/v2/reversals';

  /** True when a reversal that the host asked for has sent this money back. */
  hasMoved(money: Money): boolean {
    return [...this.all.values()].some((reversal) => reversal.money === money && reversal.moved);
  }

  create(body: CreateBody, name: string, chance: Chance): Creation {
    const money = this.platform.moneys.find(
      ({ reference }) => reference === body.transaction_reference,
    );
    // Nobody sends money back by a request when the till and the payment report different amounts.
    if (!money || money.tillSays.amount !== undefined)
      return { refused: 'Transaction reference invalid' };
    const isPending = [...this.all.values()].some(
      (other) => other.money === money && other.status === 'Scheduled',
    );
    // A person may have begun to reverse it at the platform's own site, without success.
    if (isPending || chance.happens(0.05))
      return { refused: 'You cannot reverse a transaction in Pending Reversal' };
    const reversal: PlatformReversal = {
      ...this.begin(body, name, chance),
      money,
      reason: body.reason,
      status: 'Scheduled',
      errors: null,
      transferStatus: null,
      moved: false,
      cents: restOf(money),
      cancelledAt: null,
      deniedInRead: false,
    };
    this.all.set(reversal.id, reversal);
    this.show(reversal, `${name} scheduled`, { calls: chance.happens(0.3) });
    this.forge(reversal, name, {
      status: 'Processed',
      reversal_bulk_payment: { amount: money.amount, status: 'Transferred' },
    });
    this.after(reversal, chance.duration(5, 120_000), name, () => this.decide(reversal, name));
    return reversal;
  }

  protected attributesOf({
    money,
    cents,
    reason,
    status,
    errors,
    transferStatus,
    chance,
  }: PlatformReversal) {
    const none = chance.happens(0.5) ? {} : { reversal_bulk_payment: null };
    return {
      status,
      transaction_reference: money.reference,
      reason,
      ...(transferStatus === null
        ? none
        : {
            reversal_bulk_payment: {
              amount: cents === centsOf(money.amount) ? money.amount : (cents / 100).toFixed(2),
              status: transferStatus,
              transaction_reference: `B${money.reference}`,
            },
          }),
      errors,
    };
  }

  protected override wasRead(reversal: PlatformReversal, body: Record<string, unknown>): void {
    type Shown = { errors: unknown; reversal_bulk_payment?: { status: string } | null };
    const { attributes } = (body as { data: { attributes: Shown } }).data;
    if (attributes.reversal_bulk_payment?.status !== 'Cancelled') return;
    if (isMinutesAgo(reversal.cancelledAt, this.simulation)) reversal.deniedInRead = true;
  }

  private after(reversal: PlatformReversal, inMs: number, name: string, run: () => void): void {
    this.simulation.scheduler.after(inMs, null, `${reversal.id}: ${name}`, run);
  }

  private decide(reversal: PlatformReversal, name: string): void {
    const { simulation } = this;
    const { chance } = reversal;
    if (simulation.happens(chance, 'reversal stuck')) {
      reversal.consistent = false;
      reversal.status = 'Processed';
      simulation.reached('reversal without an outcome');
      this.show(reversal, `${name} stuck`);
      return;
    }
    if (simulation.happens(chance, 'odd status')) {
      reversal.transferStatus = 'Settling';
      this.show(reversal, `${name} odd`);
      this.after(reversal, chance.duration(10, 60_000), name, () => this.conclude(reversal, name));
      return;
    }
    this.conclude(reversal, name);
  }

  private conclude(reversal: PlatformReversal, name: string): void {
    const { simulation } = this;
    const { chance } = reversal;
    reversal.status = 'Processed';
    if (this.isPossible(reversal) && simulation.happens(chance, 'reversal with errors')) {
      reversal.consistent = false;
      simulation.reached('reversal Transferred with errors');
      if (chance.happens(0.5)) this.sendBack(reversal, name);
      reversal.transferStatus = 'Transferred';
      reversal.errors = ['A later step failed'];
      this.show(reversal, `${name} contradiction`);
      return;
    }
    const changesItsMind = simulation.happens(chance, 'reversed after cancelled');
    if (
      this.isPossible(reversal) &&
      !changesItsMind &&
      !simulation.happens(chance, 'reversal cancelled')
    ) {
      this.sendBack(reversal, name);
      this.show(reversal, `${name} transferred`);
      return;
    }
    reversal.transferStatus = 'Cancelled';
    reversal.cancelledAt = simulation.scheduler.now;
    reversal.errors = [chance.pick(FAILURES)];
    simulation.reached('reversal Cancelled');
    this.show(reversal, `${name} cancelled`);
    if (!changesItsMind) return;
    this.after(reversal, changesItsMindIn(chance), `${name} after all`, () => {
      if (!this.isPossible(reversal)) return;
      reversal.consistent = false;
      this.sendBack(reversal, name);
      simulation.reached('reversal Transferred after Cancelled');
      this.show(reversal, `${name} after all`);
    });
  }

  /** Somebody else may have reversed the transaction, and the merchant may lack the money. */
  private isPossible({ money }: PlatformReversal): boolean {
    const isReversed = money.reversedAt !== null && money.reversalSays === null;
    return !isReversed && restOf(money) > 0 && this.platform.funds.has(restOf(money));
  }

  private sendBack(reversal: PlatformReversal, name: string): void {
    reversal.moved = true;
    reversal.cents = restOf(reversal.money);
    reversal.transferStatus = 'Transferred';
    reversal.errors = null;
    this.platform.tills.reverse(reversal.money, `${name} refund`, reversal.chance);
    this.simulation.reached('refund sent back');
  }
}
