/** Events onto a bus, through `@nestjs/microservices`, which only an application that imports this file needs. */
export { ForwardPaymentEvents } from './microservices/forward-payment-events.module.js';
export type { ForwardPaymentEventsOptions } from './microservices/forward-payment-events.options.js';
export type { AsJson, PaymentsCloudEvent } from './microservices/payments.cloud-event.js';
