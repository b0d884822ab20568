import { Module } from '@nestjs/common';
import { DefaultStore } from '../ledger/default.store.js';
import { PaymentsAccounts } from './payments-accounts.js';
import { RawBodyCapture } from './raw-body.capture.js';
import { RouteCatalogue } from './route.catalogue.js';

/** What an application has once, whatever number of accounts it has. */
@Module({
  providers: [RouteCatalogue, RawBodyCapture, PaymentsAccounts, DefaultStore],
  exports: [RouteCatalogue, PaymentsAccounts, DefaultStore],
})
export class PaymentsRoutesModule {}
