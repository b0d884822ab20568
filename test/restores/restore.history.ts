import type { Payment, PaymentsService } from '@tillkit/payments';
import { seededRandom } from '../campaigns/seeded.random.js';
import { letTimePass } from '../contracts/test-database.js';
import type { Alterations } from '../support/altered.store.js';
import { aRequestFrom } from '../support/merchant.js';
import { RestoredMerchant } from '../support/restored.merchant.js';

const MINUTE = 60_000;
const PETER = { account: 'default', by: 'peter', note: 'the till' };

/** Last digits of customers: most pay, one cancels, and of one the callback is lost. Two orders may be of the same customer. */
const CUSTOMERS = ['41', '51', '51', '61', '02', '10'];

/** An order, as the shop knows it. A shop that keeps it in the same database forgets it with the rest. */
interface Order {
  name: string;
  phoneNumber: string;
  /** Part of the idempotency key: a shop asks again with another one after a failure. */
  attempt: number;
  isPaid: boolean;
  /** It is open or in review: a person or a later read settles it. */
  isWaiting: boolean;
}

/**
 * A shop whose database is restored to an earlier state, once or twice, while its customers have paid. It asks again for whatever it does not know to be
 * paid, and a person who knows the platform's portal decides on reviews. The truth is the simulator's: who was charged, and for which order.
 */
export class RestoreHistory {
  private readonly random: () => number;
  private readonly broken: string[] = [];
  private orders: Order[] = [];
  private shop!: RestoredMerchant;

  /** @param fault what is wrong with the store, for a test of this history */
  constructor(
    seed: number,
    private readonly fault: Alterations = {},
  ) {
    this.random = seededRandom(seed * 7919);
  }

  /** The promises that were broken. */
  async run(): Promise<string[]> {
    this.shop = await RestoredMerchant.open(this.fault);
    try {
      // The clock of the platform is not that of the database.
      if (this.chance(0.5)) await this.shop.simulator.clock.advance(this.random() * 40 * MINUTE);
      // It learns the time at its start.
      await this.restart();
      await this.loseTime();
      if (this.chance(0.3)) {
        await this.shop.pass(60 * MINUTE);
        await this.shop.start();
        await this.loseTime();
      }
      await this.sellTheRest();
      this.compareWithTruth();
    } finally {
      await this.shop.close();
    }
    return this.broken;
  }

  private async loseTime(): Promise<void> {
    await this.sell(this.newOrders(2));
    const recorded = this.chance(0.5) ? this.newOrders(1) : [];
    for (const order of recorded) await this.shop.recordOnly(this.requestFor(order));
    const isPausedByPeter = this.chance(0.3);
    if (isPausedByPeter) await this.shop.accounts.pause(PETER);

    const { at, restore } = await this.shop.backUp();
    const known = structuredClone(this.orders);
    // What was recorded may be sent in the lost time, or be too late.
    if (this.chance(0.3)) await letTimePass(this.shop.database.url, 2 * MINUTE);
    await this.shop.start();
    if (isPausedByPeter) await this.shop.accounts.resume(PETER);
    for (const order of recorded) await this.ask(order);
    await this.sell([...this.newOrders(3), ...this.orders]);

    await this.shop.stop();
    await restore();
    const times = [this.random() * MINUTE, ...(this.chance(0.2) ? [5 * MINUTE] : [])];
    await this.shop.noteRestore(...times.map((earlierMs) => new Date(at.getTime() - earlierMs)));
    // A shop with a database of its own forgets nothing. One that shares it asks for the same orders again, because its customers come back.
    if (this.chance(0.7)) this.forget(known);
    await this.shop.start();
    if (isPausedByPeter) await this.shop.accounts.resume(PETER);
    await this.sell(this.orders);
    await this.shop.sweepLostTime();
  }

  private forget(known: readonly Order[]): void {
    this.orders = this.orders.map(
      (order) =>
        // It may ask for a forgotten order with another key.
        known.find(({ name }) => name === order.name) ?? {
          ...order,
          attempt: this.chance(0.3) ? order.attempt + 1 : 1,
          isPaid: false,
        },
    );
  }

  private newOrders(count: number): Order[] {
    const orders = Array.from({ length: count }, (_, index) => ({
      name: `order ${this.orders.length + index + 1}`,
      phoneNumber: `+2547000000${CUSTOMERS[Math.floor(this.random() * CUSTOMERS.length)]}`,
      attempt: 1,
      isPaid: false,
      isWaiting: false,
    }));
    this.orders.push(...orders);
    return orders;
  }

  private async sell(orders: readonly Order[]): Promise<void> {
    for (const order of orders) if (!order.isPaid) await this.ask(order);
  }

  /** Until everything is paid or failed: a person may leave a review until it is clear whose money it is. */
  private async sellTheRest(): Promise<void> {
    for (let round = 0; round < 6; round += 1)
      await this.sell(this.orders.toSorted(() => this.random() - 0.5));
  }

  private async ask(order: Order): Promise<void> {
    if (order.attempt > 3) return;
    const asked = await this.payments
      .request(this.requestFor(order))
      .catch((error: Error) => error);
    // Sending is paused, or another order of this customer is still open.
    if (asked instanceof Error) return;
    const settled = await this.payments.settled(asked.id, { timeoutMs: 5_000 }).catch(() => asked);
    order.isWaiting = settled.state !== 'failed';
    if (settled.state === 'succeeded') this.paid(order, settled);
    if (settled.state === 'failed') order.attempt += 1;
    if (settled.state === 'needs_review') await this.decide(order, settled);
  }

  private requestFor({ name, phoneNumber, attempt }: Order) {
    return aRequestFrom(phoneNumber, {
      idempotencyKey: `${name}, attempt ${attempt}`,
      metadata: { order: name },
    });
  }

  private paid(order: Order, { transaction }: Payment): void {
    order.isPaid = true;
    const owner = this.orderOf(transaction?.reference ?? null);
    if (owner !== order.name) this.broken.push(`${order.name} has the money of ${owner}`);
  }

  /** A person compares with the portal, and does not guess. */
  private async decide(order: Order, { id, causeDetail }: Payment): Promise<void> {
    const person = { by: 'jane', note: 'compared with the portal' };
    const own = this.charged(order)[0]?.reference;
    if (own) {
      const decision = { ...person, state: 'succeeded', reference: own } as const;
      this.paid(order, await this.payments.resolve(id, decision));
      return;
    }
    const cited = /transaction (\S+)/.exec(causeDetail ?? '')?.[1] ?? null;
    const owner = this.orders.find(({ name }) => name === this.orderOf(cited));
    // The money is for another order, which will be asked for again.
    if (owner && !owner.isPaid) return;
    await this.payments.resolve(id, { ...person, state: 'failed' });
    order.attempt += 1;
  }

  private compareWithTruth(): void {
    for (const order of this.orders) {
      const charges = this.charged(order).length;
      if (charges > 1) this.broken.push(`${order.name} was charged ${charges} times`);
      if (charges === 0 && order.isPaid) this.broken.push(`${order.name} is paid by nobody`);
      if (charges > 0 && !order.isPaid && !order.isWaiting)
        this.broken.push(`${order.name} was charged, and nobody knows`);
    }
  }

  private charged({ name }: Pick<Order, 'name'>) {
    return this.shop.simulator
      .charges()
      .filter(({ charged, metadata }) => charged && metadata['order'] === name);
  }

  private orderOf(reference: string | null): string {
    const charge = this.shop.simulator.charges().find((each) => each.reference === reference);
    return (charge?.metadata['order'] as string | undefined) ?? 'nobody';
  }

  private async restart(): Promise<void> {
    await this.shop.stop();
    await this.shop.start();
  }

  private get payments(): PaymentsService {
    return this.shop.payments;
  }

  private chance(share: number): boolean {
    return this.random() < share;
  }
}
