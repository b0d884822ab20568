import type { SimulatedClock } from '../clock/clock.service.js';
import type { MerchantDeliveries } from '../deliveries/deliveries.service.js';
import type { NewDelivery } from '../deliveries/delivery.record.js';
import type { FaultSubject } from '../faults/fault.subject.js';
import type { FaultInjector } from '../faults/faults.service.js';
import { SeededRandom } from '../faults/seeded-random.service.js';
import type { SimulatorTimings } from '../simulator.options.js';
import type { DisbursementTransfers } from './disbursement.transfers.js';
import type { Disbursement, PayoutFormat, PayoutOrder, PayoutRequest } from './payout.model.js';
import { endAsScenario } from './payout.ending.js';
import { describePayoutScenario } from './payout-scenarios.constants.js';
import type { PayoutsStore } from './payouts.store.js';

/** Carries out requests that send money out, and delivers their results. */
export class Payouts {
  private readonly random: SeededRandom;

  constructor(
    private readonly store: PayoutsStore,
    private readonly clock: SimulatedClock,
    private readonly timings: SimulatorTimings,
    private readonly transfers: DisbursementTransfers,
    private readonly deliveries: MerchantDeliveries,
    private readonly faults: FaultInjector,
    private readonly baseUrl: () => string,
    private readonly formats: readonly PayoutFormat[],
    seed: number,
  ) {
    this.random = new SeededRandom(seed, 'payouts');
  }

  create(order: PayoutOrder): PayoutRequest {
    return this.store.add(order, this.clock.now());
  }

  find(id: string): PayoutRequest | undefined {
    return this.store.find(id);
  }

  /**
   * Carries the request out: Received, Scheduled, Processed, then one disbursement after the other.
   *
   * @param atOnce without the usual delays
   * @returns after the first attempts to deliver what was not delayed by a scenario
   */
  async carryOut(payout: PayoutRequest, atOnce = false): Promise<void> {
    const { payoutScheduling, payoutProcessing, disbursement: each } = this.timings;
    const pause = (ms: number) => (atOnce ? Promise.resolve() : this.clock.wait(ms));
    if (payout.status === 'Received') {
      await pause(payoutScheduling);
      this.schedule(payout);
    }
    if (payout.status === 'Scheduled') {
      await pause(payoutProcessing);
      payout.status = 'Processed';
      for (const one of payout.disbursements) one.status = 'Processing';
    }
    const deliveries = [this.deliverResult(payout)];
    for (const one of payout.batches!.filter(({ status }) => status === 'Processing')) {
      await pause(each);
      if (this.finish(payout, one)) deliveries.push(this.deliverResult(payout));
    }
    await Promise.all(deliveries);
  }

  /** Goes on with the payouts of a platform that has stopped. */
  resume(): void {
    for (const payout of this.store.open()) void this.carryOut(payout);
  }

  /** The JSON text of the resource, with faults. */
  read(payout: PayoutRequest, subject: FaultSubject): string {
    const { callbackUrl } = payout.order;
    const format = this.formatOf(payout);
    const status = this.faults.inject('unknown-status', subject);
    const unknownField = this.faults.inject('unknown-field', subject);
    const attributes = format.attributes(payout, {
      ...(status ? { status: status.paymentStatus! } : {}),
      numberAmounts: this.faults.inject('number-amounts', subject) !== null,
      stringErrors: this.faults.inject('string-errors', subject) !== null,
      bareDisbursements: this.faults.inject('bare-disbursements', subject) !== null,
    });
    return JSON.stringify({
      data: {
        id: payout.id,
        type: format.type,
        attributes: {
          ...attributes,
          ...(unknownField ? { risk_score: { value: 7, model: 'none' } } : {}),
          _links: {
            callback_url: callbackUrl,
            self: `${this.baseUrl()}${format.path}/${payout.id}`,
          },
        },
      },
    });
  }

  subjectOf(payout: PayoutRequest): FaultSubject {
    return { resource: payout.order.resource, ...identityOf(payout) };
  }

  private formatOf({ order }: PayoutRequest): PayoutFormat {
    return this.formats.find(({ resource }) => resource === order.resource)!;
  }

  private schedule(payout: PayoutRequest): void {
    for (const one of payout.disbursements) {
      this.transfers.reserve(payout, one);
      one.originatedAt = this.clock.now();
    }
    payout.status = 'Scheduled';
    payout.batches = this.shuffled(payout.disbursements);
  }

  /** Lets a disbursement end as its scenario says. @returns whether its status changed */
  private finish(payout: PayoutRequest, one: Disbursement): boolean {
    const money = {
      ...one,
      pay: () => this.pay(payout, one),
      cancel: (error: string) => this.cancel(payout, one, error),
      takeBack: () => this.takeBack(payout, one),
    };
    return endAsScenario(money, this.timings, (delayMs, change) =>
      this.later(payout, delayMs, change),
    );
  }

  private pay(payout: PayoutRequest, one: Disbursement): boolean {
    if (!this.transfers.transfer(payout, one)) return false;
    const { outcome, status, error } = describePayoutScenario(one.scenario);
    one.status = status ?? 'Transferred';
    one.errors = error !== undefined && outcome === 'transferred' ? [error] : null;
    return true;
  }

  private cancel(payout: PayoutRequest, one: Disbursement, error: string): true {
    this.transfers.release(payout, one);
    one.status = 'Cancelled';
    one.errors = [error];
    return true;
  }

  private takeBack(payout: PayoutRequest, one: Disbursement): boolean {
    if (!this.transfers.takeBack(payout, one)) return false;
    return this.cancel(payout, one, 'The destination returned the money');
  }

  private later(payout: PayoutRequest, delayMs: number, change: () => boolean): void {
    this.clock.schedule(delayMs, () => {
      if (change()) void this.deliverResult(payout);
    });
  }

  private async deliverResult(payout: PayoutRequest): Promise<void> {
    const { callbackUrl } = payout.order;
    const format = this.formatOf(payout);
    const subject = { delivery: 'callback', topic: format.type, ...identityOf(payout) };
    const delivery: NewDelivery = {
      kind: 'callback',
      topic: format.type,
      url: callbackUrl,
      body: this.read(payout, subject),
      ...identityOf(payout),
    };
    const isSilent = payout.disbursements.some(
      ({ scenario }) => describePayoutScenario(scenario).isSilent,
    );
    if (isSilent) this.deliveries.recordLost(delivery);
    else await this.deliveries.send(delivery);
  }

  /** In another order than asked, whenever there are two or more. */
  private shuffled<Item>(items: readonly Item[]): Item[] {
    if (items.length < 2) return [...items];
    const shuffled = [...items];
    for (let last = shuffled.length - 1; last > 0; last--) {
      // Never its own place (Sattolo), so that no order stays as it was.
      const other = Math.floor(this.random.next() * last);
      [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
    }
    return shuffled;
  }
}

/** What faults and the list of deliveries know a payout by: its id, and the phone of its first wallet. */
function identityOf({ id, disbursements }: PayoutRequest): { paymentId: string; phone?: string } {
  const phone = disbursements.find(({ destination }) => destination.phone)?.destination.phone;
  return { paymentId: id, ...(phone ? { phone } : {}) };
}
