import { Global, Module, type Provider } from '@nestjs/common';
import { PaymentsLedgerModule } from '../ledger/ledger.module.js';
import { PaymentsPlatformModule } from '../platform/platform.module.js';
import { OwnTills, TillLedger } from './till-ledger.js';
import { TransactionObserver } from '../ledger/arriving-delivery.js';
import { TillTransactionsService } from './till-transactions.service.js';
import { TillSweeper } from './till-sweeper.js';
import { PaymentMatcher } from './payment-matcher.js';

const TILLS: Provider[] = [
  TillLedger,
  { provide: TransactionObserver, useExisting: TillLedger },
  TillTransactionsService,
  TillSweeper,
  OwnTills,
  PaymentMatcher,
];

/**
 * Money at tills: observes each transaction once, under the name by which the platform shows it, matches it to a payment that it may pay, and
 * sweeps a window for what no delivery has reported.
 *
 * It must never give one transaction to two payments, and never decide what may belong to several.
 */
@Global()
@Module({
  imports: [PaymentsLedgerModule, PaymentsPlatformModule],
  providers: TILLS,
  exports: [
    TillLedger,
    TransactionObserver,
    TillTransactionsService,
    TillSweeper,
    OwnTills,
    PaymentMatcher,
  ],
})
export class PaymentsTillsModule {}
