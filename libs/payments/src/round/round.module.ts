import { Global, Module } from '@nestjs/common';
import { PaymentsSendModule } from '../send/send.module.js';
import { PaymentsTillsModule } from '../tills/tills.module.js';
import { DueOperationsLoops } from './due-operations-loops.js';
import { OverdueSchedule } from './overdue.schedule.js';
import { AccountSweeps } from './account-sweeps.js';
import { SweepSchedule } from './sweep.schedule.js';
import { MissingCallbacksService } from './missing-callbacks.service.js';
import { OverdueOperationsReconciler } from './overdue-operations-reconciler.js';
import { SettledOperationsFollower } from './settled-operations-follower.js';
import { WaitingWorkService } from './waiting-work.service.js';
import { WorkGauges } from './work-gauges.js';
import { RetentionSchedule } from './retention.schedule.js';

const ROUND = [
  AccountSweeps,
  SweepSchedule,
  MissingCallbacksService,
  OverdueSchedule,
  OverdueOperationsReconciler,
  SettledOperationsFollower,
  DueOperationsLoops,
  WaitingWorkService,
  WorkGauges,
  RetentionSchedule,
];

/**
 * What is looked at again: overdue operations, settled ones that may still change, the schedule of sweeps, the report against the platform,
 * health, and what is redacted and deleted.
 *
 * It must never decide money itself: what it reads goes through the ledger and the tills.
 */
@Global()
@Module({ imports: [PaymentsSendModule, PaymentsTillsModule], providers: ROUND, exports: ROUND })
export class PaymentsRoundModule {}
