/** Health checks for `@nestjs/terminus`, which only an application that imports this file needs. */
export type {
  BacklogHealthOptions,
  HealthOptions,
  LastCallbackHealthOptions,
  StoreHealthOptions,
} from './round/health/payments-health.module.js';
export {
  PaymentsHealthIndicator,
  PaymentsHealthModule,
} from './round/health/payments-health.module.js';
