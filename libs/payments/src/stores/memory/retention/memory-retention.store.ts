import {
  RetentionStore,
  type PersonalRecord,
  type PersonIn,
  type RetentionPolicy,
  type RetentionResult,
} from '../../../retention/retention.store.js';
import { MATCHED_FOR_MS } from '../../../runtime/backoff.js';
import type { MemoryDeliveriesStore } from '../deliveries/memory-deliveries.store.js';
import type { MemoryEventsStore } from '../events/memory-events.store.js';
import type { MemoryOperationsStore } from '../operations/memory-operations.store.js';
import { mentions } from './memory.person.js';
import type { MemoryTransactionsStore } from '../transactions/memory-transactions.store.js';

export class MemoryRetentionStore extends RetentionStore {
  constructor(
    private readonly operations: MemoryOperationsStore,
    private readonly transactions: MemoryTransactionsStore,
    private readonly deliveries: MemoryDeliveriesStore,
    private readonly events: MemoryEventsStore,
    private readonly now: () => number,
  ) {
    super();
  }

  async apply(account: string, policy: RetentionPolicy): Promise<RetentionResult> {
    const { personalDataMs, dedupeForMs, limit } = policy;
    const deliveries = this.deliveries.of(account).deleteOld(personalDataMs, limit);
    const limits = { personalDataMs, dedupeForMs, matchedForMs: MATCHED_FOR_MS };
    const { redacted, deleted } = this.operations
      .of(account)
      .applyRetention({ ...limits, limit: limit * 2 - deliveries });
    this.transactions.applyRetention(account, this.now(), limits);
    this.events.of(account).applyRetention({ personalDataMs, dedupeForMs });
    return { redacted: redacted + deliveries, deleted };
  }

  async oldestPersonal(account: string): Promise<Date | null> {
    const times = this.personal(account).map(({ at }) => at.getTime());
    return times.length > 0 ? new Date(Math.min(...times)) : null;
  }

  async findOf(account: string, person: PersonIn): Promise<PersonalRecord[]> {
    return this.personal(account).filter(({ at, data }) => mentions(person, at, data));
  }

  async redactOf(account: string, person: PersonIn): Promise<number> {
    const limits = {
      personalDataMs: 0,
      dedupeForMs: Number.POSITIVE_INFINITY,
      matchedForMs: MATCHED_FOR_MS,
    };
    const { redacted } = this.operations.of(account).applyRetention({
      ...limits,
      limit: Number.POSITIVE_INFINITY,
      isChosen: (record) => mentions(person, record.updatedAt, record),
    });
    const transactions = this.transactions.applyRetention(account, this.now(), limits, (record) =>
      mentions(person, record.createdAt, record),
    );
    const deliveries = this.deliveries
      .of(account)
      .deleteChosen(({ receivedAt, body }) => mentions(person, receivedAt, body.toString()));
    const events = this.events
      .of(account)
      .redactDead((event) => mentions(person, person.from, event.payload));
    return redacted + transactions + deliveries + events;
  }

  /** What is not redacted. */
  private personal(account: string): PersonalRecord[] {
    return [
      ...this.operations
        .of(account)
        .personal()
        .map((data) => ({ kind: 'operation', id: data.id, at: data.updatedAt, data }) as const),
      ...this.transactions.all(account).map(({ reference, createdAt, sums }) => {
        return { kind: 'transaction', id: reference, at: createdAt, data: sums } as const;
      }),
      ...this.deliveries
        .of(account)
        .all()
        .map(({ id, receivedAt, body }) => {
          return { kind: 'delivery', id, at: receivedAt, data: { body: body.toString() } } as const;
        }),
      ...this.events
        .of(account)
        .unfinished()
        .map(({ event: { id, name, payload }, at }) => {
          return { kind: 'event', id, at, data: { name, payload } } as const;
        }),
    ];
  }
}
