import type { PaymentsStore } from '@tillkit/payments';
import type { DeliveryRecord, DeliverySummary, Page, PageRequest } from '@tillkit/payments/types';
import type { EventSummary } from '@tillkit/payments/internal/store';

/** A delivery that came or that changed, or an event that was emitted. */
export type News =
  | { kind: 'delivery'; at: Date; delivery: DeliverySummary }
  | { kind: 'event'; at: Date; event: EventSummary };

/**
 * A row gets its time before it is committed, so we may see newer rows first. Each look begins this long before the newest row that we
 * know.
 */
const LATE_MS = 10_000;

/** One look reads at most this many rows. */
const PAGE = 200;

/** We look again at the state of at most this many deliveries that are not processed yet. */
const MOST_PENDING = 500;

/** Reads new rows of the store, by keyset pagination. */
export class NewsReader {
  private readonly deliveries: RecentRows<DeliverySummary>;
  private readonly events: RecentRows<EventSummary>;
  /** Deliveries that were pending when they were shown. */
  private readonly pending = new Set<string>();

  constructor(
    private readonly store: PaymentsStore,
    private readonly account: string,
  ) {
    this.deliveries = new RecentRows(
      (page) => store.deliveries.list(account, {}, page),
      ({ receivedAt }) => receivedAt,
    );
    this.events = new RecentRows(
      (page) => store.events.listRecent(account, page),
      ({ at }) => at,
    );
  }

  /** Marks all rows that exist now as known. */
  async begin(): Promise<void> {
    await Promise.all([this.deliveries.begin(), this.events.begin()]);
  }

  /** Returns what came since the last call, in order. */
  async next(): Promise<News[]> {
    const changed = await this.processed();
    const [deliveries, events] = await Promise.all([this.deliveries.next(), this.events.next()]);
    for (const { id, state } of deliveries)
      if (state === 'pending' && this.pending.size < MOST_PENDING) this.pending.add(id);
    return [
      ...changed,
      ...deliveries.map((delivery): News => ({
        kind: 'delivery',
        at: delivery.receivedAt,
        delivery,
      })),
      ...events.map((event): News => ({ kind: 'event', at: event.at, event })),
    ].toSorted((one, other) => one.at.getTime() - other.at.getTime());
  }

  /** Returns the deliveries that were pending and are processed now. */
  private async processed(): Promise<News[]> {
    const news: News[] = [];
    for (const id of this.pending) {
      const found = await this.store.deliveries.find(this.account, id);
      if (found?.state === 'pending') continue;
      this.pending.delete(id);
      if (found) news.push({ kind: 'delivery', at: found.receivedAt, delivery: summaryOf(found) });
    }
    return news;
  }
}

/** Rows of a list that is read newest first. */
class RecentRows<T extends { id: string }> {
  private newest = 0;
  /** Ids of the rows that a look may meet again, with their times. */
  private readonly seen = new Map<string, number>();

  constructor(
    private readonly read: (page: PageRequest) => Promise<Page<T>>,
    private readonly timeOf: (row: T) => Date,
  ) {}

  async begin(): Promise<void> {
    const { items } = await this.read({ limit: PAGE });
    this.remember(items);
    // This marks the rows just before the newest one too, because the first look would meet them.
    await this.next();
  }

  async next(): Promise<T[]> {
    const rows: T[] = [];
    const oldest = this.newest - LATE_MS;
    for (let after: string | null | undefined; after !== null;) {
      const { items, next }: Page<T> = await this.read({ limit: PAGE, ...(after && { after }) });
      const recent = items.filter((row) => this.timeOf(row).getTime() >= oldest);
      rows.push(...recent.filter(({ id }) => !this.seen.has(id)));
      after = recent.length < items.length ? null : next;
    }
    this.remember(rows);
    return rows;
  }

  private remember(rows: readonly T[]): void {
    for (const row of rows) {
      const time = this.timeOf(row).getTime();
      this.seen.set(row.id, time);
      this.newest = Math.max(this.newest, time);
    }
    for (const [id, time] of this.seen) if (time < this.newest - LATE_MS) this.seen.delete(id);
  }
}

function summaryOf({ body, ...rest }: DeliveryRecord): DeliverySummary {
  return { ...rest, bytes: body.length };
}
