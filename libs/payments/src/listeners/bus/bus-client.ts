import type { InjectionToken, OnModuleInit } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { type ClientProxy, ClientRMQ } from '@nestjs/microservices';
import { lastValueFrom, type Observable } from 'rxjs';
import { PaymentsConfigurationError } from '../../payments.errors.js';
import type { PaymentsEventName, PaymentsEvents } from '../../payments.events.js';
import { isOfOtherCopy } from '../../runtime/other-copies.js';
import { OnPaymentEvent } from '../on-payment-event.decorator.js';
import {
  DEFAULT_LISTENER_ID,
  forwardedEvents,
  type ForwardPaymentEventsOptions,
} from './forward-payment-events.options.js';
import { toCloudEvent } from './payments-cloud-event.js';
import { RabbitChannels, rabbitProblems } from './rabbitmq-client.js';

/**
 * Returns the client that the host has registered.
 * @throws PaymentsConfigurationError when there is none, or when its broker would lose events that it has confirmed
 */
function busClient(moduleRef: ModuleRef, token: InjectionToken): ClientProxy {
  const client = found(moduleRef, token);
  const problems = problemsOf(client, nameOf(token));
  if (problems.length > 0) throw new PaymentsConfigurationError(problems);
  return client as ClientProxy;
}

/** Looks in every module of the host, because the forwarder's own module imports none. */
function found(moduleRef: ModuleRef, token: InjectionToken): unknown {
  try {
    return moduleRef.get<unknown>(token as string, { strict: false });
  } catch {
    return undefined;
  }
}

function problemsOf(client: unknown, name: string): string[] {
  if (client === undefined || client === null)
    return [
      `ForwardPaymentEvents: option client is ${name}, and no module of this application provides it: import ` +
        `ClientsModule.register([{ name: ${name}, transport: ... }]), or name the client that you have registered`,
    ];
  // We do not use instanceof, because the host may have its own copy of @nestjs/microservices.
  if (typeof (client as Partial<ClientProxy>).emit !== 'function')
    return [
      `ForwardPaymentEvents: option client is ${name}, and its provider has no emit(): use the injection token of a ClientProxy ` +
        'of @nestjs/microservices (a ClientGrpc has none, because gRPC has no events)',
    ];
  return isRabbit(client) ? rabbitProblems(client, name) : [];
}

function isRabbit(client: unknown): client is ClientRMQ {
  return client instanceof ClientRMQ || isOfOtherCopy(client, ClientRMQ, 'emit');
}

function nameOf(token: InjectionToken): string {
  if (typeof token === 'string') return `'${token}'`;
  return typeof token === 'function' ? token.name : String(token);
}

const UNSAID = 'the client of the bus failed and did not say why';

/** Credentials in a URL. */
const CREDENTIALS = /\/\/[^/@\s]*@/g;

/**
 * The store and the log keep the text of this error, so we remove credentials from it. A client may also reject with a text, or with an
 * object that has the URL of the broker with its password.
 */
function busError(error: unknown): Error {
  const { err, message = err?.message } = Object(error) as { err?: Error; message?: unknown };
  const text = typeof error === 'string' ? error : message;
  return new Error(
    (typeof text === 'string' && text !== '' ? text : UNSAID).replace(CREDENTIALS, '//'),
  );
}

/** One listener of the library that emits each event through a client of the host. */
export class EventForwarder implements OnModuleInit {
  private client: ClientProxy;
  private rabbit: RabbitChannels | null = null;

  constructor(
    private readonly options: ForwardPaymentEventsOptions,
    private readonly moduleRef: ModuleRef,
  ) {}

  /**
   * Finds the client when every module has made its providers. It connects with the first event, because the bus may be away at start; RabbitMQ is
   * asked at once whether it accepts what the client asserts.
   */
  async onModuleInit(): Promise<void> {
    this.client = busClient(this.moduleRef, this.options.client);
    if (!isRabbit(this.client)) return;
    this.rabbit = await RabbitChannels.accepted(this.client, nameOf(this.options.client));
  }

  /** Resolves when the client says that the event is sent. A failure is a failed listener call, which the dispatcher repeats. */
  async forward<Name extends PaymentsEventName>(
    name: Name,
    payload: PaymentsEvents[Name],
  ): Promise<void> {
    const event = toCloudEvent(name, payload, this.options);
    const pattern = this.options.pattern?.(event) ?? name;
    try {
      await this.emit(() => this.client.emit<unknown>(pattern, event));
    } catch (error) {
      throw busError(error);
    }
  }

  private async emit(emit: () => Observable<unknown>): Promise<void> {
    if (this.rabbit) await this.rabbit.send(emit);
    else await lastValueFrom(emit(), { defaultValue: undefined });
  }
}

/** Returns a forwarder with one listener method for each event: a listener call does not say the name of its event. */
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
