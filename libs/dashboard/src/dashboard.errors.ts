import { PaymentsError } from '@tillkit/payments';

/** Start-up was refused: every wrong or missing setting, each with what to write. @publicApi */
export class DashboardConfigurationError extends PaymentsError {
  readonly code = 'PAYMENTS_CONFIGURATION';

  constructor(readonly problems: readonly string[]) {
    super(
      `@tillkit/dashboard cannot start:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
  }
}
