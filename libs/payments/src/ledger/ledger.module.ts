import { Global, Module } from '@nestjs/common';
import { PaymentsWorkModule } from '../work/work.module.js';
import { PaymentsStoreModule } from '../store/store.module.js';
import { TransactionDifferences } from './transaction-differences.js';
import { LedgerSignals } from './ledger-signals.js';
import { WatchedOperations } from './watched-operations.js';
import { KnownRecords } from './known-records.js';
import { LedgerCommits } from './ledger-commits.js';
import { Ledger } from './ledger.js';
import { OperationEvidenceService } from './operation-evidence.service.js';
import { OperationReader } from './operation.reader.js';

const LEDGER = [
  TransactionDifferences,
  LedgerSignals,
  WatchedOperations,
  KnownRecords,
  LedgerCommits,
  Ledger,
  OperationEvidenceService,
  OperationReader,
];

/**
 * The one entrance for evidence: what operations of every kind share. States, what is allowed, decisions, changes, reviews, history, and the
 * commit of a change with its events.
 *
 * It must never know the wire, and a person's decision stands until other evidence comes. What evidence means is said by its kind.
 */
@Global()
@Module({ imports: [PaymentsWorkModule, PaymentsStoreModule], providers: LEDGER, exports: LEDGER })
export class PaymentsLedgerModule {}
