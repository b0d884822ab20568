export { PaymentsDashboardModule } from './dashboard.module.js';
export type {
  AccountsOf,
  AllAccountsExtras,
  OperatorOf,
  PaymentsDashboardExtras,
  PaymentsDashboardOptions,
} from './dashboard.options.js';
export { ENGLISH, type Words } from './words/english.words.js';
export { html, type Html } from '@tillkit/pages';
export { DashboardConfigurationError } from './dashboard.errors.js';
