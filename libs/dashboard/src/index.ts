export { PaymentsDashboardModule } from './dashboard.module.js';
export type {
  AccountsOf,
  AllAccountsExtras,
  OperatorOf,
  PaymentsDashboardExtras,
  PaymentsDashboardOptions,
} from './dashboard.options.js';
export { DashboardConfigurationError } from './dashboard.errors.js';
