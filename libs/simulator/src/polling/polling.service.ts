import type { MerchantContext } from '../merchants/merchant-context.js';
import { ResourceWriter } from '../server/resource-writer.js';
import type { TransactionsStore } from '../transactions/transactions.store.js';
import { ItemStore } from '../values/item.store.js';
import { parseTimestamp } from '../values/timestamp.js';
import { POLLING, type CreatePollingBody, type Polling } from './polling.resource.js';

/** Lists the transactions in a time window and delivers the list. */
export class PollingRequests {
  readonly store = new ItemStore<Polling>();
  readonly writer: ResourceWriter<Polling>;

  constructor(
    private readonly context: MerchantContext,
    private readonly transactions: TransactionsStore,
  ) {
    this.writer = new ResourceWriter(context, POLLING);
  }

  create(request: CreatePollingBody, tillNumber: string | null): Polling {
    const { clock, timings } = this.context;
    const details = { request, tillNumber, createdAt: clock.now(), transactions: null };
    const polling = this.store.add(details);
    clock.schedule(timings.polling, () => this.finish(polling));
    return polling;
  }

  private finish(polling: Polling): void {
    const { from_time: from, to_time: to } = polling.request;
    polling.transactions = this.transactions.between(
      parseTimestamp(from),
      parseTimestamp(to),
      polling.tillNumber,
    );
    void this.writer.deliver(polling);
  }
}
