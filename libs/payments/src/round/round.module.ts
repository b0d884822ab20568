import { Global, Module, type FactoryProvider, type Type } from '@nestjs/common';
import { LedgerSignals } from '../ledger/ledger.signals.js';
import { PaymentsSendModule } from '../send/send.module.js';
import { PaymentsTillsModule } from '../tills/tills.module.js';
import { OperationsStore } from '../store/operations.store.js';
import { KnownAccounts } from '../work/known.accounts.js';
import { Runtime } from '../work/runtime.js';
import { ShutdownSignal } from '../work/shutdown.signal.js';
import { WorkLookout } from '../work/work.lookout.js';
import { DueOperationsLoop, type DueOperationsWork } from './due-operations.loop.js';
import { OverdueSchedule } from './overdue.schedule.js';
import { OverdueWindowsService } from './overdue-windows.service.js';
import { AccountSweeps } from './account.sweeps.js';
import { SweepSchedule } from './sweep.schedule.js';
import { MissingCallbacksService } from './missing-callbacks.service.js';
import { OverdueOperationsReconciler } from './overdue-operations.reconciler.js';
import { SettledOperationsFollower } from './settled-operations.follower.js';
import { WaitingWorkService } from './waiting-work.service.js';
import { WorkGauges } from './work.gauges.js';
import { RetentionSchedule } from './retention.schedule.js';

const ROUND = [
  AccountSweeps,
  SweepSchedule,
  MissingCallbacksService,
  OverdueWindowsService,
  OverdueSchedule,
  OverdueOperationsReconciler,
  loopOf(OverdueOperationsReconciler),
  SettledOperationsFollower,
  loopOf(SettledOperationsFollower),
  WaitingWorkService,
  WorkGauges,
  RetentionSchedule,
];

function loopOf(work: Type<DueOperationsWork>): FactoryProvider<DueOperationsLoop> {
  return {
    provide: `${work.name} loop`,
    inject: [
      work,
      OperationsStore,
      LedgerSignals,
      ShutdownSignal,
      KnownAccounts,
      WorkLookout,
      Runtime,
    ],
    useFactory: (...needs: ConstructorParameters<typeof DueOperationsLoop>) =>
      new DueOperationsLoop(...needs),
  };
}

/**
 * What is looked at again: overdue operations, settled ones that may still change, the schedule of sweeps, the report against the platform,
 * health, and what is redacted and deleted.
 *
 * It must never decide money itself: what it reads goes through the ledger and the tills.
 */
@Global()
@Module({ imports: [PaymentsSendModule, PaymentsTillsModule], providers: ROUND, exports: ROUND })
export class PaymentsRoundModule {}
