import { SeededRandom } from '../faults/seeded-random.service.js';
import type { MerchantContext } from '../merchants/merchant-context.js';
import { ResourceWriter } from '../server/resource-writer.js';
import type { ItemStore } from '../values/item.store.js';
import type { DisbursementTransfers } from './disbursement-transfers.js';
import { MoneyOut, reportOfPaid } from './money-out.service.js';
import {
  isOpenPayout,
  type Disbursement,
  type PayoutOrder,
  type PayoutRequest,
} from './payout.model.js';
import { payoutFormat, type PayoutFormat } from './payout.resource.js';

/** Carries out requests that send money to recipients and own accounts. */
export class Payouts extends MoneyOut<PayoutRequest, Disbursement> {
  private readonly random: SeededRandom;
  /** The writers, by the resource of the request. */
  private readonly writers: ReadonlyMap<string, ResourceWriter<PayoutRequest>>;

  constructor(
    context: MerchantContext,
    readonly store: ItemStore<PayoutRequest>,
    private readonly transfers: DisbursementTransfers,
    formats: readonly PayoutFormat[],
  ) {
    super(context);
    this.random = new SeededRandom(context.settings.seed, 'payouts');
    this.writers = new Map(
      formats.map((format) => [
        format.path.split('/').at(-1)!,
        new ResourceWriter(context, payoutFormat(format)),
      ]),
    );
  }

  create(order: PayoutOrder): PayoutRequest {
    const createdAt = this.context.clock.now();
    const disbursements = order.asked.map(({ destination, amount }) => ({
      destination,
      scenario: this.context.payoutScenarios.nameFor(destination.number),
      amount,
      status: 'Pending',
      errors: null,
      originatedAt: createdAt,
      isReserved: false,
      isPaid: false,
      reference: null,
      received: null,
    }));
    return this.store.add({ order, createdAt, disbursements, batches: null, status: 'Received' });
  }

  /** Continues the payouts of a platform that has stopped. */
  resume(): void {
    for (const payout of this.store.all()) if (isOpenPayout(payout)) void this.carryOut(payout);
  }

  writerOf({ order }: { order: Pick<PayoutOrder, 'resource'> }): ResourceWriter<PayoutRequest> {
    return this.writers.get(order.resource)!;
  }

  protected partsOf({ disbursements }: PayoutRequest): readonly Disbursement[] {
    return disbursements;
  }

  protected override openPartsOf({ batches }: PayoutRequest): readonly Disbursement[] {
    return batches!.filter(({ status }) => status === 'Processing');
  }

  protected schedule(payout: PayoutRequest): void {
    for (const one of payout.disbursements) {
      this.transfers.reserve(payout, one);
      one.originatedAt = this.context.clock.now();
    }
    payout.batches = this.shuffled(payout.disbursements);
  }

  protected process({ disbursements }: PayoutRequest): void {
    for (const one of disbursements) one.status = 'Processing';
  }

  protected pay(payout: PayoutRequest, one: Disbursement): boolean {
    if (!this.transfers.transfer(payout, one)) return false;
    Object.assign(one, reportOfPaid(one));
    return true;
  }

  protected cancel(payout: PayoutRequest, one: Disbursement, error: string): true {
    this.transfers.release(payout, one);
    one.status = 'Cancelled';
    one.errors = [error];
    return true;
  }

  protected takeBack(payout: PayoutRequest, one: Disbursement): boolean {
    if (!this.transfers.takeBack(payout, one)) return false;
    return this.cancel(payout, one, 'The destination returned the money');
  }

  /** Returns the items in another order than the request had, when there are two or more. */
  private shuffled<Item>(items: readonly Item[]): Item[] {
    const shuffled = [...items];
    for (let last = shuffled.length - 1; last > 0; last--) {
      // An item never stays in its place (Sattolo), so the order always changes.
      const other = Math.floor(this.random.next() * last);
      [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
    }
    return shuffled;
  }
}
