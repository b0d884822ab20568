/** Health checks for `@nestjs/terminus`, which only an application that imports this file needs. */
export type {
  BacklogHealthOptions,
  HealthOptions,
  LastCallbackHealthOptions,
  StoreHealthOptions,
} from './health/health.options.js';
export { PaymentsHealthIndicator } from './health/payments-health.indicator.js';
export { PaymentsHealthModule } from './health/payments-health.module.js';
