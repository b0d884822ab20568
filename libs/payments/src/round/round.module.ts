import { Global, Module } from '@nestjs/common';
import { PaymentsSendModule } from '../send/send.module.js';
import { PaymentsTillsModule } from '../tills/tills.module.js';
import { DueOperationsLoops, SettledOperationsFollower } from './settled-operations-follower.js';
import { OverdueOperationsReconciler, OverdueSchedule } from './overdue-operations.js';
import { AccountSweeps, SweepSchedule } from './sweeps.service.js';
import { MissingCallbacksService, WaitingWorkService, WorkGauges } from './waiting-work.service.js';
import { RetentionSchedule } from './retention.js';

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
 * Looks again at stored rows: overdue operations, settled ones that may still change, the schedule of sweeps, the report against the
 * platform, health, and the rows to redact and delete.
 *
 * It must never decide money itself: everything that it reads goes through the ledger and the tills.
 */
@Global()
@Module({ imports: [PaymentsSendModule, PaymentsTillsModule], providers: ROUND, exports: ROUND })
export class PaymentsRoundModule {}
