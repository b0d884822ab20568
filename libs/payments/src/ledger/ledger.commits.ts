import { Injectable } from '@nestjs/common';
import { KnownRecords } from './known.records.js';
import { LedgerSignals } from './ledger.signals.js';
import {
  LedgerStore,
  type Committed,
  type CommitWithDelivery,
  type LedgerChange,
} from './ledger.store.js';
import type { NewDelivery } from './new-delivery.js';
import type { Operation } from './operation.js';
import { OwnCalls } from './own-calls.js';

/** A change, and the operation as it is after it. */
export interface PreparedChange<O extends Operation = Operation> {
  change: LedgerChange;
  /** @param at the time of the change; absent when it changes no operation */
  after?: (at: Date) => O;
}

/** Commits changes of the ledger, and passes them on inside this process: to watchers, and to the listeners of their events. */
@Injectable()
export class LedgerCommits {
  constructor(
    private readonly store: LedgerStore,
    private readonly known: KnownRecords,
    private readonly signals: LedgerSignals,
    private readonly calls: OwnCalls,
  ) {}

  /** Resolves with null when the change was refused. */
  async commit(prepared: PreparedChange): Promise<Committed | null> {
    return this.made(prepared, async (claiming) => {
      const committed = await this.store.commit(claiming);
      return { result: committed, committed };
    });
  }

  /** See `LedgerStore.commitWithDelivery`. */
  async commitWithDelivery(
    prepared: PreparedChange,
    delivery: NewDelivery,
    leaseMs: number,
  ): Promise<CommitWithDelivery> {
    return this.made(prepared, async (claiming) => {
      const result = await this.store.commitWithDelivery(claiming, delivery, leaseMs);
      return { result, committed: result.kind === 'committed' ? result : null };
    });
  }

  private async made<T>(
    { change, after }: PreparedChange,
    commit: (claiming: LedgerChange) => Promise<{ result: T; committed: Committed | null }>,
  ): Promise<T> {
    const { account, operation, events } = change;
    const claim = this.calls.claimOf(account, events);
    let committed: Committed | null = null;
    const run = async (): Promise<T> => {
      try {
        const made = await commit({ ...change, ...(claim && { claim }) });
        ({ committed } = made);
        return made.result;
      } finally {
        this.learn(change, committed, after);
        this.calls.written(account, events, committed?.calls ?? [], claim);
      }
    };
    const running = run();
    this.known.during(
      change,
      running.catch(() => undefined),
    );
    const result = await running;
    if (committed && operation) this.signals.changes$.next({ account, id: operation.id });
    return result;
  }

  private learn(
    change: LedgerChange,
    committed: Committed | null,
    after: PreparedChange['after'],
  ): void {
    // After a failure, too, the records may have changed.
    if (!committed) return this.known.forget(change);
    this.known.keepTransaction(change, committed.at);
    if (after) this.known.keep(after(committed.at));
  }
}
