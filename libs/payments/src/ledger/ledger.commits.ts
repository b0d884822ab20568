import { Injectable } from '@nestjs/common';
import { LedgerSignals } from './ledger.signals.js';
import { LedgerStore, type Committed, type LedgerChange } from './ledger.store.js';
import { OwnCalls } from './own-calls.js';

/** Commits changes of the ledger, and passes them on inside this process: to watchers, and to the listeners of their events. */
@Injectable()
export class LedgerCommits {
  constructor(
    private readonly store: LedgerStore,
    private readonly signals: LedgerSignals,
    private readonly calls: OwnCalls,
  ) {}

  /** Resolves with null when the change was refused. */
  async commit(change: LedgerChange): Promise<Committed | null> {
    const { account, operation, events } = change;
    const claim = this.calls.claimOf(account, events);
    let committed: Committed | null = null;
    try {
      committed = await this.store.commit({ ...change, ...(claim && { claim }) });
      if (committed && operation) this.signals.changes$.next({ account, id: operation.id });
      return committed;
    } finally {
      this.calls.written(account, events, committed?.calls ?? [], claim);
    }
  }
}
