import {
  LedgerStore,
  totalsOf,
  type Committed,
  type CommitWithDelivery,
  type LedgerChange,
} from '../../ledger.store.js';
import type { NewDelivery } from '../../new-delivery.js';
import type { MemoryDeliveriesStore } from '../deliveries/memory-deliveries.store.js';
import type { MemoryEventsStore } from '../events/memory-events.store.js';
import type { MemoryOperationsStore } from '../operations/memory-operations.store.js';
import type { MemoryTotals } from '../totals/memory-totals.store.js';
import type { MemoryTransactionsStore } from '../transactions/memory-transactions.store.js';

export class MemoryLedgerStore extends LedgerStore {
  constructor(
    private readonly operations: MemoryOperationsStore,
    private readonly transactions: MemoryTransactionsStore,
    private readonly deliveries: MemoryDeliveriesStore,
    private readonly events: MemoryEventsStore,
    private readonly totals: MemoryTotals,
    private readonly now: () => number,
  ) {
    super();
  }

  async commit(change: LedgerChange): Promise<Committed | null> {
    return this.write(change);
  }

  async commitWithDelivery(
    change: LedgerChange,
    delivery: NewDelivery,
    leaseMs: number,
  ): Promise<CommitWithDelivery> {
    const deliveries = this.deliveries.of(delivery.account);
    if (deliveries.has(delivery.key)) return { kind: 'duplicate' };
    const committed = this.write(change);
    deliveries.store(delivery);
    const { token, receivedAt } = deliveries.claim(delivery, leaseMs);
    if (!committed) return { kind: 'stored', token, receivedAt };
    deliveries.finish({ ...delivery, token }, { kind: 'done' });
    return { kind: 'committed', ...committed };
  }

  async amountOf(account: string, eventId: string): Promise<string | null> {
    return this.events.of(account).amountOf(eventId);
  }

  /** Checks all versions before it writes anything. */
  private write(change: LedgerChange): Committed | null {
    const { account, operation, transaction, events, history, claim, finishes } = change;
    const operations = this.operations.of(account);
    if (operation && !operations.isCurrent(operation)) return null;
    if (transaction && !this.transactions.isCurrent(account, transaction)) return null;
    const now = new Date(this.now());
    if (operation) operations.write(operation, history, now);
    if (transaction) this.transactions.write(account, transaction, now);
    this.totals.add(account, totalsOf(change), now);
    if (finishes) this.deliveries.of(account).finish(finishes.claim, finishes.outcome);
    const calls = events.flatMap((event) => this.events.of(account).write(event, claim));
    return { at: now, calls };
  }
}
