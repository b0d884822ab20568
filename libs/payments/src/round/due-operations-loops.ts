import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LedgerSignals } from '../ledger/ledger-signals.js';
import { spanOf } from '../ledger/operation-span.js';
import type { Operation } from '../store/operation.js';
import { OperationsStore } from '../store/operations.store.js';
import { KnownAccounts } from '../work/known-accounts.js';
import { Runtime } from '../work/runtime.js';
import { inSpan } from '../work/telemetry/spans.js';
import { DueWorkFinder } from '../work/due-work-finder.js';
import { WorkLoop } from '../work/work-loop.js';
import { OverdueOperationsReconciler } from './overdue-operations-reconciler.js';
import { SettledOperationsFollower } from './settled-operations-follower.js';

/** Claims operations that are due, of all accounts that this process reconciles, and has them settled or followed. */
@Injectable()
export class DueOperationsLoops implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loops: readonly WorkLoop<Operation>[];

  constructor(
    reconciler: OverdueOperationsReconciler,
    follower: SettledOperationsFollower,
    private readonly operationsStore: OperationsStore,
    private readonly signals: LedgerSignals,
    private readonly accounts: KnownAccounts,
    private readonly finder: DueWorkFinder,
    private readonly runtime: Runtime,
  ) {
    this.loops = [this.loopOf(reconciler), this.loopOf(follower)];
    signals.changes$.subscribe(({ dueInMs }) => {
      if (typeof dueInMs === 'number') finder.expect(dueInMs);
    });
  }

  onApplicationBootstrap(): void {
    if (this.accounts.reconciles) for (const loop of this.loops) loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.signals.close();
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  private loopOf(
    due: OverdueOperationsReconciler | SettledOperationsFollower,
  ): WorkLoop<Operation> {
    const { name, span, concurrency, claim } = due;
    return new WorkLoop<Operation>({
      runtime: this.runtime,
      name,
      accounts: () => this.accounts.reconciledNames(),
      concurrency,
      wakeUps: this.signals.due$,
      finder: this.finder,
      isDue: ({ open, followed }) => (claim.followed ? followed : open),
      claim: (names, limit) => this.operationsStore.claimDue(names, { ...claim, limit }),
      work: (operation) => inSpan(spanOf(operation, span), () => due.work(operation)),
    });
  }
}
