import { Global, Module } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { AccountHandles } from './account-handles.js';
import { PaymentsAccountsOfHostModule } from './accounts/accounts.module.js';
import { ApplicationStore } from './application.store.js';
import { PaymentsDoorModule } from './door/door.module.js';
import { EventDispatcher } from './listeners/event-dispatcher.js';
import { PaymentsListenersModule } from './listeners/listeners.module.js';
import { PaymentsOperationsModule } from './operations/operations.module.js';
import { PaymentsAccounts } from './payments-accounts.js';
import { ACCOUNT_NAME } from './payments.constants.js';
import { RetentionSchedule } from './round/retention.schedule.js';
import { PaymentsRoundModule } from './round/round.module.js';
import { SweepSchedule } from './round/sweep.schedule.js';
import { CHOSEN_STORE } from './store/store.module.js';
import { ACCOUNT_WORK, type AccountWork } from './work/account-work.js';

/**
 * The one object graph of an application: it only puts the parts together. Every account's module imports it, so that Nest makes each of these
 * objects once; what they work on names its account. It and its parts are global, because Nest initialises global modules first: the
 * dispatcher registers the listeners before a module of the host can request a payment.
 * @see docs/decisions/0017-one-object-graph-for-all-accounts.md
 */
@Global()
@Module({
  imports: [
    PaymentsAccountsOfHostModule,
    PaymentsListenersModule,
    PaymentsOperationsModule,
    PaymentsDoorModule,
    PaymentsRoundModule,
  ],
  providers: [
    ApplicationStore,
    {
      provide: CHOSEN_STORE,
      inject: [ApplicationStore, ModulesContainer],
      useFactory: (store: ApplicationStore, modules: ModulesContainer) =>
        store.chosen(namesOfAccounts(modules)),
    },
    {
      provide: ACCOUNT_WORK,
      inject: [EventDispatcher, SweepSchedule, RetentionSchedule],
      useFactory: (...work: AccountWork[]) => work,
    },
    AccountHandles,
    PaymentsAccounts,
  ],
  exports: [ApplicationStore, CHOSEN_STORE, ACCOUNT_WORK, AccountHandles, PaymentsAccounts],
})
export class PaymentsCoreModule {}

/** The module of each account provides the name of its account. */
function namesOfAccounts(modules: ModulesContainer): string[] {
  return [...modules.values()]
    .map(({ providers }) => providers.get(ACCOUNT_NAME)?.instance as unknown)
    .filter((name) => typeof name === 'string');
}
