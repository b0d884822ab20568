import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { LedgerSignals } from '../ledger/ledger.signals.js';
import { spanOf } from '../ledger/operation.span.js';
import type { Operation } from '../store/operation.js';
import type { DueClaim, OperationsStore } from '../store/operations.store.js';
import type { KnownAccounts } from '../work/known.accounts.js';
import type { Runtime } from '../work/runtime.js';
import type { ShutdownSignal } from '../work/shutdown.signal.js';
import { inSpan } from '../work/telemetry/spans.js';
import type { WorkLookout } from '../work/work.lookout.js';
import { WorkLoop } from '../work/work.loop.js';

/** What is done with operations that are due. */
export interface DueOperationsWork {
  /** Name of the work, for the log. */
  readonly name: string;
  readonly span: 'reconcile' | 'follow';
  /** Operations of one account that are processed at the same time. */
  readonly concurrency: number;
  readonly claim: Omit<DueClaim, 'limit'>;
  work(operation: Operation): Promise<void>;
}

/** Claims operations that are due, of all accounts that this process reconciles, and has one kind of work done with them. */
export class DueOperationsLoop implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop: WorkLoop<Operation>;

  constructor(
    due: DueOperationsWork,
    operationsStore: OperationsStore,
    signals: LedgerSignals,
    private readonly shutdown: ShutdownSignal,
    private readonly accounts: KnownAccounts,
    lookout: WorkLookout,
    runtime: Runtime,
  ) {
    const { name, concurrency, claim } = due;
    this.loop = new WorkLoop<Operation>({
      runtime,
      name,
      accounts: () => accounts.reconciledNames(),
      concurrency,
      wakeUps: signals.due$,
      lookout,
      isDue: ({ open, followed }) => (claim.followed ? followed : open),
      claim: (names, limit) => operationsStore.claimDue(names, { ...claim, limit }),
      work: (operation) => inSpan(spanOf(operation, due.span), () => due.work(operation)),
    });
    // A change may make its operation, or a rival of it, due at once.
    signals.changes$.subscribe(() => lookout.expect());
  }

  onApplicationBootstrap(): void {
    if (this.accounts.reconciles) this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    await this.loop.stop();
  }
}
