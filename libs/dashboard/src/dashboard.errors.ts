import { PaymentsError } from '@tillkit/payments';

/** The dashboard cannot start. The message names every wrong or missing setting and what to write instead. @publicApi */
export class DashboardConfigurationError extends PaymentsError {
  readonly code = 'PAYMENTS_CONFIGURATION';

  constructor(readonly problems: readonly string[]) {
    super(
      `@tillkit/dashboard cannot start:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
  }
}
