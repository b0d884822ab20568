import { LedgerStore, type LedgerChange } from '../../../ledger/ledger.store.js';
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

  async commit(changes: readonly LedgerChange[]): Promise<(Date | null)[]> {
    return changes.map((change) => this.commitOne(change));
  }

  /** Checks all versions before it writes anything. */
  private commitOne({
    account,
    operation,
    transaction,
    events,
    history,
  }: LedgerChange): Date | null {
    const operations = this.operations.of(account);
    if (operation && !operations.isCurrent(operation)) return null;
    if (transaction && !this.transactions.isCurrent(account, transaction)) return null;
    const now = new Date(this.now());
    if (operation) operations.write(operation, history, now);
    if (transaction) this.transactions.write(account, transaction, now);
    for (const event of events) this.events.of(account).write(event);
    return now;
  }
}
