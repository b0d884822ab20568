import { ConfigurableModuleBuilder, type DynamicModule, Module } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { PaymentsConfigurationError } from '../../payments.errors.js';
import {
  type BaseWithSource,
  sourceProblem,
  type WithSource,
} from '../../runtime/async-options.js';
import { createForwarder, EventForwarder } from './bus-client.js';
import {
  FORWARD_OPTIONS,
  type ForwardPaymentEventsOptions,
} from './forward-payment-events.options.js';

const { ConfigurableModuleClass, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<ForwardPaymentEventsOptions>({
    optionsInjectionToken: FORWARD_OPTIONS,
  })
    .setFactoryMethodName('createForwardPaymentEventsOptions')
    .build();

type AsyncOptions = typeof ASYNC_OPTIONS_TYPE;
type Base = BaseWithSource<typeof ConfigurableModuleClass, 'registerAsync', AsyncOptions>;

/**
 * Sends events, as CloudEvents 1.0, through a `ClientProxy` of `@nestjs/microservices`. It is one listener: the dispatcher makes its calls
 * at least once, in order within an operation, and a call that keeps failing becomes a dead letter. How much of that reaches the
 * receivers depends on the transport: RabbitMQ keeps it, Redis and NATS are at most once.
 * @throws PaymentsConfigurationError at start when no module provides the client, when its options would lose events, or when RabbitMQ refuses its queue
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
export class ForwardPaymentEvents extends (ConfigurableModuleClass as Base) {
  /** Does the same as `register`, with options from a factory or class. @throws PaymentsConfigurationError without one */
  static override registerAsync(options: WithSource<AsyncOptions>): DynamicModule {
    const problem = sourceProblem(
      ['ForwardPaymentEvents.registerAsync()', 'ForwardPaymentEvents.register()'],
      options,
    );
    if (problem) throw new PaymentsConfigurationError([problem]);
    return super.registerAsync(options);
  }
}
