/** Events onto a bus, through `@nestjs/microservices`, which only an application that imports this file needs. */
export { ForwardPaymentEvents } from './listeners/bus/forward-payment-events.module.js';
export type { ForwardPaymentEventsOptions } from './listeners/bus/forward-payment-events.options.js';
export type { AsJson, PaymentsCloudEvent } from './listeners/bus/payments-cloud-event.js';
