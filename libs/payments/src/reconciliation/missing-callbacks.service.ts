import { Injectable } from '@nestjs/common';
import { DeliveriesStore } from '../deliveries/deliveries.store.js';
import { RouteRegistry } from '../deliveries/routes/route.registry.js';
import type { PaymentRecord } from '../operations/payments/payment.js';
import { LastingProblem } from '../runtime/lasting-problem.js';
import { PerAccount } from '../runtime/per-account.js';

/** Now and then a callback is lost. So many in a row are not. */
const READ_IN_A_ROW = 3;

interface Account {
  problem: LastingProblem;
  /** When the payments were made that ended by a read, the oldest first. */
  readPayments: Date[];
}

/**
 * Warns when payments end because they are read, and no callback comes: a wrong public URL harms nobody at once, so nobody would notice
 * that every payment takes 20 s longer and that no till event comes by webhook.
 */
@Injectable()
export class MissingCallbacksService {
  private readonly byAccount = new PerAccount<Account>(() => ({
    problem: new LastingProblem(),
    readPayments: [],
  }));

  constructor(
    private readonly deliveriesStore: DeliveriesStore,
    private readonly routes: RouteRegistry,
  ) {}

  /** Call it when a read has settled a payment. Never throws: a store that is away now answers the next time. */
  async settledByRead({ account, createdAt }: PaymentRecord): Promise<void> {
    const { problem, readPayments } = this.byAccount.of(account);
    readPayments.push(createdAt);
    const [oldest] = readPayments;
    if (readPayments.length < READ_IN_A_ROW || !oldest) return;
    readPayments.length = 0;
    const newest = await this.newestDelivery(account);
    if (newest === undefined) return;
    if (newest && newest > oldest) problem.end(`callbacks of account ${account} come again`);
    else {
      problem.begin(
        `the last ${READ_IN_A_ROW} payments of account ${account} ended only because they were read: no callback has come. The platform ` +
          `probably does not reach ${this.routes.urlOf(account)}: check PAYMENTS_PUBLIC_URL, the path that your proxy forwards, and whether this ` +
          `log has refused deliveries. From outside, "curl -i -X POST ${this.routes.urlOf(account)}/webhooks" must be answered with 401`,
      );
    }
  }

  /** When the newest delivery was received; null when there is none, undefined when the store does not say. */
  private async newestDelivery(account: string): Promise<Date | null | undefined> {
    try {
      const { items } = await this.deliveriesStore.list(account, {}, { limit: 1 });
      return items[0]?.receivedAt ?? null;
    } catch {
      return undefined;
    }
  }
}
