import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { createForwarder, EventForwarder } from './bus-client.js';
import {
  FORWARD_OPTIONS,
  type ForwardPaymentEventsOptions,
} from './forward-payment-events.options.js';

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<ForwardPaymentEventsOptions>({
  optionsInjectionToken: FORWARD_OPTIONS,
})
  .setFactoryMethodName('createForwardPaymentEventsOptions')
  .build();

/**
 * Sends events, as CloudEvents 1.0, through a `ClientProxy` of `@nestjs/microservices`. It is one listener: the dispatcher makes its calls
 * at least once, in order within an operation, and a call that keeps failing becomes a dead letter. How much of that reaches the
 * receivers depends on the transport: RabbitMQ keeps it, Redis and NATS are at most once.
 * @throws PaymentsConfigurationError at start when no module provides the client, or when its options would lose events
 * @example
 * ForwardPaymentEvents.register({ client: 'BUS' })
 * @see docs/bus.md
 * @publicApi
 */
@Module({
  providers: [
    { provide: EventForwarder, useFactory: createForwarder, inject: [FORWARD_OPTIONS, ModuleRef] },
  ],
})
export class ForwardPaymentEvents extends ConfigurableModuleClass {}
