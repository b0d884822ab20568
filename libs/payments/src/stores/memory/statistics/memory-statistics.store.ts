import type { DeliveryRecord } from '../../../deliveries/deliveries.store.js';
import type { StoredEvent } from '../../../events/events.store.js';
import type { Via } from '../../../ledger/operation.js';
import { isOpen, isSettled } from '../../../ledger/operation.states.js';
import {
  StatisticsStore,
  type QueueLength,
  type QueueName,
  type Statistics,
} from '../../../reconciliation/statistics.store.js';
import type { MemoryDeliveriesStore } from '../deliveries/memory-deliveries.store.js';
import type { MemoryEventsStore } from '../events/memory-events.store.js';
import { isWithin } from '../memory.page.js';
import type { MemoryOperationsStore } from '../operations/memory-operations.store.js';

/** Figures of one account. They read all rows, because a store in memory is small. */
export class MemoryStatisticsStore extends StatisticsStore {
  constructor(
    private readonly operations: MemoryOperationsStore,
    private readonly deliveries: MemoryDeliveriesStore,
    private readonly events: MemoryEventsStore,
    private readonly now: () => number,
  ) {
    super();
  }

  async read(account: string, { from, to }: { from: Date; to: Date }): Promise<Statistics> {
    const now = this.now();
    const payments = this.operations
      .of(account)
      .all()
      .filter(({ kind, createdAt }) => kind === 'payment' && isWithin(createdAt, from, to));
    const deliveries = this.deliveries.of(account).all();
    const events = this.events.of(account).list();
    const finals = payments.filter(({ state }) => isSettled(state) && state !== 'needs_review');
    const ids = new Set(payments.map(({ id }) => id));
    const calls = events.flatMap(({ at, calls }) => calls.map(({ state }) => ({ state, at })));
    const waiting = deliveries.filter(({ state }) => state === 'pending');
    const unfinished = calls.filter(({ state }) => state === 'pending');
    return {
      states: tally(payments.map(({ state }) => state)).map(([state, count]) => ({ state, count })),
      reasons: tally(payments.flatMap(({ reason }) => reason ?? [])).map(([reason, count]) => ({
        reason,
        count,
      })),
      sources: tally(finalSources(events, ids)).map(([via, count]) => ({ via, count })),
      timeToFinalMs: percentiles(
        finals.map(({ createdAt, updatedAt }) => updatedAt.getTime() - createdAt.getTime()),
      ),
      deliveriesPerMinute: perMinute(
        deliveries.filter(({ receivedAt }) => isWithin(receivedAt, from, to)),
      ),
      backlog: {
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
        openPayments: this.operations
          .of(account)
          .all()
          .filter(({ kind, state }) => kind === 'payment' && isOpen(state)).length,
      },
    };
  }

  queues(): Promise<QueueLength[]> {
    const names = [this.operations, this.deliveries, this.events].flatMap((store) =>
      store.within({ allBut: [] }).map(({ account }) => account),
    );
    return Promise.resolve([...new Set(names)].flatMap((account) => this.queuesOf(account)));
  }

  private queuesOf(account: string): QueueLength[] {
    const now = this.now();
    const deliveries = this.deliveries.of(account).all();
    const operations = this.operations.of(account).all();
    const calls = this.events
      .of(account)
      .list()
      .flatMap(({ at, calls }) => calls.map((call) => ({ ...call, at })));
    const open = (isLink: boolean): Date[] => this.operations.of(account).openSince(isLink);
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
        operations
          .filter(({ state }) => state === 'needs_review')
          .map(({ createdAt }) => createdAt),
        now,
      ),
    ];
  }
}

/** A queue with the time at which the first of it came; none when nothing waits. */
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

function finalSources(events: readonly StoredEvent[], paymentIds: ReadonlySet<string>): Via[] {
  return events
    .filter(({ name }) => name === 'payment.succeeded' || name === 'payment.failed')
    .filter(({ stream }) => paymentIds.has(stream))
    .map(({ via }) => via);
}

function tally<T>(values: readonly T[]): [T, number][] {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

/** Nearest-rank percentiles. */
function percentiles(values: readonly number[]): Statistics['timeToFinalMs'] {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] as number;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}

function perMinute(deliveries: readonly DeliveryRecord[]): Statistics['deliveriesPerMinute'] {
  const minutes = deliveries.map(
    ({ receivedAt }) => Math.floor(receivedAt.getTime() / 60_000) * 60_000,
  );
  return tally(minutes)
    .sort(([a], [b]) => a - b)
    .map(([minute, count]) => ({ minute: new Date(minute), count }));
}

function oldest(times: readonly Date[], now: number): number | null {
  return times.length === 0 ? null : now - Math.min(...times.map((time) => time.getTime()));
}
