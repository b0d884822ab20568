import { Global, Module } from '@nestjs/common';
import { AccountRegistry } from './account-registry.js';
import { AccountReservationsService } from './account-reservations.service.js';
import { AddedAccounts } from './added-accounts.js';
import { AccountOpenings, StoredNames } from './account-openings.js';
import { AccountRemovals } from './account-removals.js';
import { AccountLoader } from './account-loader.js';

const ACCOUNTS = [
  AccountRegistry,
  AccountReservationsService,
  AddedAccounts,
  AccountOpenings,
  AccountRemovals,
  StoredNames,
  AccountLoader,
];

/**
 * The accounts of an application: their settings from options and environment, those that the host adds or its source gives while the
 * application runs, the tills and API keys that each one owns, and removals.
 *
 * It must never change settings that work has begun with: a change is a new snapshot. Only the module of the application knows this folder.
 */
@Global()
@Module({ providers: ACCOUNTS, exports: ACCOUNTS })
export class PaymentsAccountsOfHostModule {}
