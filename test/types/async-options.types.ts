/**
 * A module whose options come from nowhere must not compile. This file is checked by `npm run typecheck`: an error that does not occur is an
 * error.
 */
import { Injectable } from '@nestjs/common';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import { PaymentsModule, type PaymentsOptions } from '@tillkit/payments';
import { ForwardPaymentEvents } from '@tillkit/payments/microservices';
import { PostgresStoreModule } from '@tillkit/postgres';
import { SimulatorModule } from '@tillkit/simulator/nest';

@Injectable()
class Options {
  createPaymentsOptions(): PaymentsOptions {
    return {};
  }
}

@Injectable()
class OtherOptions {
  create(): object {
    return {};
  }
}

export const right = [
  PaymentsModule.forRootAsync({ useFactory: () => ({ tillNumber: '514459' }) }),
  PaymentsModule.forRootAsync({
    account: 'shop',
    path: 'shop',
    inject: [Options],
    useFactory: async (options: Options) => options.createPaymentsOptions(),
  }),
  PaymentsModule.forRootAsync({ useClass: Options }),
  PaymentsModule.forRootAsync({ useExisting: Options, imports: [] }),
  PaymentsDashboardModule.forRootAsync({ useFactory: () => ({ timeZone: 'viewer' }), guards: [] }),
  PaymentsDashboardModule.forAccountsAsync({ useFactory: () => ({}), guards: [] }),
  ForwardPaymentEvents.registerAsync({ useFactory: () => ({ client: 'BUS' }) }),
  PostgresStoreModule.forRootAsync({ useFactory: () => ({ poolSize: 5 }) }),
  SimulatorModule.forRootAsync({ isGlobal: false, useFactory: () => ({ clientId: 'shop' }) }),
];

export const wrong = [
  // @ts-expect-error nothing gives the options
  () => PaymentsModule.forRootAsync({}),
  // @ts-expect-error nothing gives the options, although there is something to inject
  () => PaymentsModule.forRootAsync({ imports: [], inject: [Options] }),
  // @ts-expect-error a factory that may not be there
  () => PaymentsModule.forRootAsync({ useFactory: undefined }),
  // @ts-expect-error a class without the method
  () => PaymentsModule.forRootAsync({ useClass: OtherOptions }),
  // @ts-expect-error an option that there is not
  () => PaymentsModule.forRootAsync({ useFactory: () => ({}), paths: 'shop' }),
  // @ts-expect-error nothing gives the options
  () => PaymentsDashboardModule.forRootAsync({ guards: [] }),
  // @ts-expect-error nothing gives the options
  () => PaymentsDashboardModule.forAccountsAsync({ guards: [] }),
  // @ts-expect-error a dashboard of all accounts has not one of them
  () => PaymentsDashboardModule.forAccountsAsync({ useFactory: () => ({}), account: 'shop' }),
  // @ts-expect-error nothing gives the options
  () => ForwardPaymentEvents.registerAsync({}),
  // @ts-expect-error nothing gives the options
  () => PostgresStoreModule.forRootAsync({}),
  // @ts-expect-error nothing gives the options
  () => SimulatorModule.forRootAsync({ isGlobal: true }),
];
