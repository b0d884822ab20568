import { describe, expect, it } from '@jest/globals';
import { DashboardConfigurationError, PaymentsDashboardModule } from '@tillkit/dashboard';
import { PaymentsConfigurationError, PaymentsModule } from '@tillkit/payments';
import { ForwardPaymentEvents } from '@tillkit/payments/microservices';
import { PostgresConfigurationError, PostgresStoreModule } from '@tillkit/postgres';
import { InvalidOptionError } from '@tillkit/simulator';
import { SimulatorModule } from '@tillkit/simulator/nest';

const CALLS = [
  ['PaymentsModule', PaymentsModule, 'forRootAsync', 'forRoot', PaymentsConfigurationError],
  [
    'PaymentsDashboardModule',
    PaymentsDashboardModule,
    'forRootAsync',
    'forRoot',
    DashboardConfigurationError,
  ],
  [
    'PaymentsDashboardModule',
    PaymentsDashboardModule,
    'forAccountsAsync',
    'forAccounts',
    DashboardConfigurationError,
  ],
  [
    'ForwardPaymentEvents',
    ForwardPaymentEvents,
    'registerAsync',
    'register',
    PaymentsConfigurationError,
  ],
  [
    'PostgresStoreModule',
    PostgresStoreModule,
    'forRootAsync',
    'forRoot',
    PostgresConfigurationError,
  ],
  ['SimulatorModule', SimulatorModule, 'forRootAsync', 'forRoot', InvalidOptionError],
] as const;

// JavaScript has no types that would show it, and Nest would only say that it cannot resolve undefined.
describe.each(CALLS)('%s', (name, module, method, without, Refusal) => {
  it.each([
    ['no options', []],
    ['no source of its options', [{ guards: [], inject: [] }]],
    ['a factory that is undefined', [{ useFactory: undefined, useClass: null }]],
  ])(`refuses a call of ${method}() with %s, and says what to add`, (_, given) => {
    const call = (module as unknown as Record<string, (...options: object[]) => unknown>)[method]!;
    const called = (): unknown => call.apply(module, given);
    expect(called).toThrow(Refusal);
    expect(called).toThrow(
      new RegExp(
        `${name}\\.${method}\\(\\) .*: add useFactory, useClass or useExisting, or call ${name}\\.${without}\\(`,
      ),
    );
  });
});
