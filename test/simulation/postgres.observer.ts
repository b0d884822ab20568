import type { OperationRecord } from '../../libs/payments/src/operations/operation-forms.js';
import type { Simulation } from './history.simulation.js';
import type { PostgresSnapshots } from './postgres.snapshots.js';
import type { RealWork } from './real.work.js';
import type { ReplicaAccount } from './replica.account.js';
import { accountIn, changeIn, isMade, StoreObserver, type WrittenEvent } from './store.observer.js';

/** The state when a call began. */
export interface Begun {
  at: number;
  /** Ids of its events that were written before. */
  known: ReadonlySet<string>;
}

/** Observes the rows of one account, which are read after each call that may have changed them. */
export class PostgresObserver extends StoreObserver {
  constructor(
    simulation: Simulation,
    private readonly snapshots: PostgresSnapshots,
    private readonly work: RealWork,
  ) {
    super(simulation);
  }

  apply(
    operations: readonly OperationRecord[],
    events: readonly WrittenEvent[],
    replica: ReplicaAccount | null,
  ): void {
    const fresh: OperationRecord[] = [];
    for (const record of operations) {
      const existing = this.operations.get(record.id);
      if (!existing) fresh.push(record);
      else if (record.version > (existing.record?.version ?? 0)) this.compare(existing, record);
    }
    // Existing operations come first, because one that ended may have allowed a new one.
    for (const record of fresh) {
      this.compare(this.observed(record), record);
    }
    for (const event of events) this.written(event, replica);
  }

  /** The simulation calls this before a call reaches the database. */
  begun(method: string, args: readonly unknown[]): Begun {
    this.freed(method, args);
    const { events = [] } = changeIn(method, args) ?? {};
    const known = events.map(({ id }) => id).filter((id) => this.events.has(id));
    return { at: this.simulation.scheduler.now, known: new Set(known) };
  }

  /** The simulation calls this when a call was answered. */
  answered(
    replica: ReplicaAccount,
    method: string,
    args: readonly unknown[],
    { result, begun }: { result: unknown; begun: Begun },
  ): void {
    this.claimed(replica, method, args, result, begun.at);
    if (accountIn(args) !== this.simulation.account) return;
    this.freed(method, args);
    this.noteAnomaly(method, args);
    const change = changeIn(method, args);
    if (change && isMade(result))
      this.simulation.checker.committed(change, (id) => begun.known.has(id));
    if (method === 'events.finishCall')
      this.simulation.checker.listeners.callFinished(args, result);
    if (method === 'operations.record')
      this.repeated(args as [OperationRecord], result as { kind: string });
  }

  /** Removes a lease that the call may have ended. */
  private freed(method: string, args: readonly unknown[]): void {
    const id =
      method === 'operations.schedule'
        ? (args[0] as { id: string }).id
        : changeIn(method, args)?.operation?.id;
    if (id !== undefined) this.simulation.checker.paymentFreed(id);
  }

  override async observe(): Promise<void> {
    this.snapshots.apply(await this.work.run(() => this.snapshots.fetch()), null);
  }

  override async recordingVisible(): Promise<void> {
    await this.observe();
  }
}
