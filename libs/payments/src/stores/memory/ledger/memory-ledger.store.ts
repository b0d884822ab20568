import { LedgerStore, type Committed, type LedgerChange } from '../../../ledger/ledger.store.js';
import type { MemoryEventsStore } from '../events/memory-events.store.js';
import type { MemoryOperationsStore } from '../operations/memory-operations.store.js';
import type { MemoryTransactionsStore } from '../transactions/memory-transactions.store.js';

export class MemoryLedgerStore extends LedgerStore {
  constructor(
    private readonly operations: MemoryOperationsStore,
    private readonly transactions: MemoryTransactionsStore,
    private readonly events: MemoryEventsStore,
    private readonly now: () => number,
  ) {
    super();
  }

  /** Checks all versions before it writes anything. */
  async commit({
    account,
    operation,
    transaction,
    events,
    history,
    claim,
  }: LedgerChange): Promise<Committed | null> {
    const operations = this.operations.of(account);
    if (operation && !operations.isCurrent(operation)) return null;
    if (transaction && !this.transactions.isCurrent(account, transaction)) return null;
    const now = new Date(this.now());
    if (operation) operations.write(operation, history, now);
    if (transaction) this.transactions.write(account, transaction, now);
    const calls = events.flatMap((event) => this.events.of(account).write(event, claim));
    return { at: now, calls };
  }
}
