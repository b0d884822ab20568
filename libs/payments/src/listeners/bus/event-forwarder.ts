import type { OnModuleInit } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import type { ClientProxy } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import { OnPaymentEvent } from '../on-payment-event.decorator.js';
import type { PaymentsEventName, PaymentsEvents } from '../../store/payments.events.js';
import { busClient, busError } from './bus-client.js';
import {
  DEFAULT_LISTENER_ID,
  forwardedEvents,
  type ForwardPaymentEventsOptions,
} from './forward-payment-events.options.js';
import { toCloudEvent } from './payments-cloud-event.js';

/** One listener of the library that emits each event through a client of the host. */
export class EventForwarder implements OnModuleInit {
  private client: ClientProxy;

  constructor(
    private readonly options: ForwardPaymentEventsOptions,
    private readonly moduleRef: ModuleRef,
  ) {}

  /** Finds the client when every module has made its providers. It connects with the first event: the bus may be away at start. */
  onModuleInit(): void {
    this.client = busClient(this.moduleRef, this.options.client);
  }

  /** Resolves when the client says that the event is sent. A failure is a failed listener call, which the dispatcher repeats. */
  async forward<Name extends PaymentsEventName>(
    name: Name,
    payload: PaymentsEvents[Name],
  ): Promise<void> {
    const event = toCloudEvent(name, payload, this.options);
    const pattern = this.options.pattern?.(event) ?? name;
    try {
      await lastValueFrom(this.client.emit(pattern, event), { defaultValue: undefined });
    } catch (error) {
      throw busError(error);
    }
  }
}

/** A forwarder with one listener method for each event: a listener call does not say the name of its event. */
export function createForwarder(
  options: ForwardPaymentEventsOptions,
  moduleRef: ModuleRef,
): EventForwarder {
  class Forwarder extends EventForwarder {}
  const { id = DEFAULT_LISTENER_ID, account } = options;
  for (const name of forwardedEvents(options)) {
    const descriptor = {
      value(this: Forwarder, payload: PaymentsEvents[typeof name]): Promise<void> {
        return this.forward(name, payload);
      },
    };
    OnPaymentEvent(name, { id, ...(account !== undefined && { account }) })(
      Forwarder.prototype,
      name,
      descriptor,
    );
    Object.defineProperty(Forwarder.prototype, name, descriptor);
  }
  return new Forwarder(options, moduleRef);
}
