import { Global, Module } from '@nestjs/common';
import { TransactionDifferences } from './transaction-differences.js';
import { LedgerCommits, LedgerSignals } from './ledger-commits.js';
import { WatchedOperations } from './watched-operations.js';
import { RecentRecords } from './recent-records.js';
import { Ledger } from './ledger.js';
import { OperationEvidenceService, OperationReader } from './operation-evidence.service.js';

const LEDGER = [
  TransactionDifferences,
  LedgerSignals,
  WatchedOperations,
  RecentRecords,
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
@Module({ providers: LEDGER, exports: LEDGER })
export class PaymentsLedgerModule {}
