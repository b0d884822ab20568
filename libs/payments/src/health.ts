/** Health checks for `@nestjs/terminus`, which only an application that imports this file needs. */
export type {
  BacklogHealthOptions,
  HealthOptions,
  LastCallbackHealthOptions,
  StoreHealthOptions,
} from './round/health/health.options.js';
export { PaymentsHealthIndicator } from './round/health/payments-health-indicator.js';
export { PaymentsHealthModule } from './round/health/payments-health.module.js';
