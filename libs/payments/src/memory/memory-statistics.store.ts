import type { DeliveryRecord } from '../store/deliveries.store.js';
import { isInReview, isOpen } from '../ledger/operation-states.js';
import type { OperationRecord } from '../operations/operation-forms.js';
import { isPayment } from '../operations/payments/payment.js';
import {
  StatisticsStore,
  type Backlog,
  type QueueLength,
  type QueueName,
  type RecentChange,
} from '../store/statistics.store.js';
import type { MemoryDeliveriesStore } from './memory-deliveries.store.js';
import type { MemoryEventsStore } from './memory-events.store.js';
import type { MemoryOperationsStore } from './memory-operations.store.js';

/** It reads all rows to count the work that waits, because a store in memory is small. */
export class MemoryStatisticsStore extends StatisticsStore {
  constructor(
    private readonly operations: MemoryOperationsStore,
    private readonly deliveries: MemoryDeliveriesStore,
    private readonly events: MemoryEventsStore,
    private readonly now: () => number,
  ) {
    super();
  }

  async backlog(account: string): Promise<Backlog> {
    const now = this.now();
    const deliveries = this.deliveries.all(account);
    const events = this.events.all(account);
    const calls = events.flatMap(({ at, calls }) => calls.map(({ state }) => ({ state, at })));
    const waiting = deliveries.filter(({ state }) => state === 'pending');
    const unfinished = calls.filter(({ state }) => state === 'pending');
    const operations = this.operations.all(account);
    const inReview = operations.filter(isInReview).map(({ createdAt }) => createdAt);
    return {
      deliveries: waiting.length,
      oldestDeliveryMs: oldest(
        waiting.map(({ receivedAt }) => receivedAt),
        now,
      ),
      calls: unfinished.length,
      oldestCallMs: oldest(
        unfinished.map(({ at }) => at),
        now,
      ),
      deadLetters: calls.filter(({ state }) => state === 'dead').length,
      unrecognised: deliveries.filter(({ state }) => state === 'unrecognised').length,
      openPayments: operations.filter((one) => isPayment(one) && isOpen(one.state)).length,
      inReview: inReview.length,
      oldestInReviewMs: oldest(inReview, now),
      passedGuard: passedLately(operations).length,
    };
  }

  async recentChanges(account: string, withinMs: number, limit: number): Promise<RecentChange[]> {
    const after = this.now() - withinMs;
    const newest = <T>(rows: readonly T[], timeOf: (row: T) => Date): T[] =>
      rows.filter((row) => timeOf(row).getTime() > after).slice(-limit);
    return [
      ...newest(this.events.all(account), ({ at }) => at).map(({ id, stream }) => ({
        key: `event ${id}`,
        about: stream,
      })),
      ...newest(this.deliveries.all(account), ({ receivedAt }) => receivedAt).map(
        ({ id, duplicates, resourceId }) => ({
          key: `delivery ${id} ${duplicates}`,
          about: resourceId,
        }),
      ),
      ...newest(this.operations.all(account), ({ createdAt }) => createdAt).map(
        ({ id, version }) => ({ key: `operation ${id} ${version}`, about: id }),
      ),
    ];
  }

  queues(): Promise<QueueLength[]> {
    const { operations, deliveries, events } = this;
    const names = [operations, deliveries, events].flatMap((store) => store.names());
    return Promise.resolve([...new Set(names)].flatMap((account) => this.queuesOf(account)));
  }

  private queuesOf(account: string): QueueLength[] {
    const now = this.now();
    const deliveries = this.deliveries.all(account);
    const operations = this.operations.all(account);
    const calls = this.events
      .all(account)
      .flatMap(({ at, calls }) => calls.map((call) => ({ ...call, at })));
    const open = (isLink: boolean): Date[] => this.operations.openSince(account, isLink);
    const received = (state: DeliveryRecord['state']): Date[] =>
      deliveries.filter((one) => one.state === state).map(({ receivedAt }) => receivedAt);
    return [
      ...queueOf(account, 'deliveries', received('pending'), now),
      ...queueOf(
        account,
        'calls',
        calls.filter(({ state }) => state === 'pending').map(({ at }) => at),
        now,
      ),
      ...queueOf(
        account,
        'dead_letters',
        calls.filter(({ state }) => state === 'dead').map(({ endedAt }) => endedAt),
        now,
      ),
      ...queueOf(account, 'unrecognised', received('unrecognised'), now),
      ...queueOf(account, 'open', open(false), now),
      ...queueOf(account, 'open_links', open(true), now),
      ...queueOf(
        account,
        'in_review',
        operations.filter(isInReview).map(({ createdAt }) => createdAt),
        now,
      ),
      ...queueOf(account, 'passed_guard', passedLately(operations), now),
    ];
  }
}

/** Returns the times of the operations of the last 24 hours that were recorded although another operation was in their way. */
function passedLately(operations: readonly OperationRecord[]): Date[] {
  return operations
    .filter(({ besides, ageMs }) => besides.length > 0 && ageMs < 86_400_000)
    .map(({ createdAt }) => createdAt);
}

/** Returns a queue with the time at which the first of it came; none when nothing waits. */
function queueOf(
  account: string,
  queue: QueueName,
  times: readonly (Date | null)[],
  now: number,
): QueueLength[] {
  if (times.length === 0) return [];
  const first = Math.min(...times.map((time) => time?.getTime() ?? now));
  return [{ account, queue, count: times.length, oldestMs: now - first }];
}

function oldest(times: readonly Date[], now: number): number | null {
  return times.length === 0 ? null : now - Math.min(...times.map((time) => time.getTime()));
}
