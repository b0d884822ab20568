import type { InjectionToken } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { ClientRMQ, type ClientProxy, type RmqOptions } from '@nestjs/microservices';
import { PaymentsConfigurationError } from '../../payments.errors.js';

/**
 * The client that the host has registered.
 * @throws PaymentsConfigurationError when there is none, or when its broker would lose events that it has confirmed
 */
export function busClient(moduleRef: ModuleRef, token: InjectionToken): ClientProxy {
  const client = found(moduleRef, token);
  const problems = problemsOf(client, nameOf(token));
  if (problems.length > 0) throw new PaymentsConfigurationError(problems);
  return client as ClientProxy;
}

/** In every module of the host: the forwarder's own module imports none. */
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
  // Not instanceof: the host may have its own copy of @nestjs/microservices.
  if (typeof (client as Partial<ClientProxy>).emit !== 'function')
    return [
      `ForwardPaymentEvents: option client is ${name}, and its provider has no emit(): use the injection token of a ClientProxy ` +
        'of @nestjs/microservices (a ClientGrpc has none, because gRPC has no events)',
    ];
  return client instanceof ClientRMQ ? rabbitProblems(client, name) : [];
}

/** What makes RabbitMQ confirm a message and then lose it. */
function rabbitProblems(client: ClientRMQ, name: string): string[] {
  const { options = {} } = client as unknown as RmqOptions;
  const { durable, exclusive, autoDelete } = options.queueOptions ?? {};
  const losing = [
    options.persistent !== true && [
      'persistent',
      'is not true, so RabbitMQ keeps a confirmed event in memory only',
      'persistent: true',
    ],
    durable === false && [
      'queueOptions.durable',
      'is false, so the queue is gone after a restart of RabbitMQ',
      'durable: true',
    ],
    exclusive === true && [
      'queueOptions.exclusive',
      'is true, so the queue is deleted when this connection ends',
      'exclusive: false',
    ],
    autoDelete === true && [
      'queueOptions.autoDelete',
      'is true, so the queue is deleted with its last receiver',
      'autoDelete: false',
    ],
  ].filter((entry) => entry !== false);
  return losing.map(
    ([option, why, cure]) =>
      `ForwardPaymentEvents: option ${option} of the client ${name} ${why}, and events would be lost: set ${cure} where you ` +
      'register the client',
  );
}

function nameOf(token: InjectionToken): string {
  if (typeof token === 'string') return `'${token}'`;
  return typeof token === 'function' ? token.name : String(token);
}

const UNSAID = 'the client of the bus failed and did not say why';

/** Credentials in a URL. */
const CREDENTIALS = /\/\/[^/@\s]*@/g;

/**
 * What a client says about a failed emit. Clients also reject with texts, and with objects that have the URL of the broker, password
 * included: the store and the log keep this text.
 */
export function busError(error: unknown): Error {
  const { err, message = err?.message } = Object(error) as { err?: Error; message?: unknown };
  const text = typeof error === 'string' ? error : message;
  return new Error(
    (typeof text === 'string' && text !== '' ? text : UNSAID).replace(CREDENTIALS, '//'),
  );
}
