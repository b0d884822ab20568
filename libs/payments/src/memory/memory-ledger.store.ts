import {
  LedgerStore,
  totalsOf,
  type Committed,
  type CommitWithDelivery,
  type LedgerChange,
} from '../store/ledger.store.js';
import type { NewDelivery } from '../store/deliveries.store.js';
import type { MemoryDeliveriesStore } from './memory-deliveries.store.js';
import type { MemoryEventsStore } from './memory-events.store.js';
import type { MemoryOperationsStore } from './memory-operations.store.js';
import type { MemoryTotals } from './memory-totals.store.js';
import type { MemoryTransactionsStore } from './memory-transactions.store.js';

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
    if (this.deliveries.has(delivery)) return { kind: 'duplicate' };
    const committed = this.write(change);
    const { token, receivedAt } = this.deliveries.add(delivery, leaseMs);
    if (!committed) return { kind: 'stored', token, receivedAt };
    this.deliveries.end({ ...delivery, token }, { kind: 'done' });
    return { kind: 'committed', ...committed };
  }

  async amountOf(account: string, eventId: string): Promise<string | null> {
    return this.events.amountOf(account, eventId);
  }

  /** Checks all versions before it writes anything. */
  private write(change: LedgerChange): Committed | null {
    const { account, operation, transaction, events, history, claim, finishes } = change;
    if (operation && !this.operations.isCurrent(account, operation)) return null;
    if (transaction && !this.transactions.isCurrent(account, transaction)) return null;
    const now = new Date(this.now());
    if (operation) this.operations.write(account, operation, history, now);
    if (transaction) this.transactions.write(account, transaction, now);
    this.totals.add(account, totalsOf(change), now);
    if (finishes) this.deliveries.end(finishes.claim, finishes.outcome);
    const calls = events.flatMap((event) => this.events.write(account, event, claim));
    return { at: now, calls };
  }
}
