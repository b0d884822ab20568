import type { EventEmitter } from 'node:events';
import type { ClientRMQ, RmqOptions } from '@nestjs/microservices';
import {
  BehaviorSubject,
  defaultIfEmpty,
  EMPTY,
  firstValueFrom,
  merge,
  mergeMap,
  type Observable,
  throwError,
  timeout,
} from 'rxjs';
import { PaymentsConfigurationError } from '../../payments.errors.js';
import { SECOND } from '../../runtime/clock.js';
import { SafeLogger } from '../../runtime/logging.js';

/** The start waits for RabbitMQ at most so long. While it is away, events wait in the store. */
const START_MS = 5 * SECOND;

/** Arguments with which a queue drops events that RabbitMQ has confirmed, and the short name that a client may give instead. */
const DROPPING: readonly [argument: string, option: string | null, why: string][] = [
  ['x-message-ttl', 'messageTtl', 'events that wait longer are dropped'],
  ['x-max-length', 'maxLength', 'a full queue drops events'],
  ['x-max-length-bytes', null, 'a full queue drops events'],
  ['x-expires', 'expires', 'the queue is deleted when no receiver has used it for that time'],
  ['x-max-age', null, 'older events are dropped'],
];

/** With these, a full queue refuses an event, which is then sent again. */
const REFUSING = /^reject-publish/;

/** Says with which options RabbitMQ confirms a message and may then lose it. */
export function rabbitProblems(client: ClientRMQ, name: string): string[] {
  const { options = {} } = client as unknown as RmqOptions;
  const { durable, exclusive, autoDelete } = options.queueOptions ?? {};
  const losing = [
    options.persistent !== true && [
      'persistent',
      'is not true, so RabbitMQ keeps a confirmed event in memory only',
      'set persistent: true',
    ],
    durable === false && [
      'queueOptions.durable',
      'is false, so the queue is gone after a restart of RabbitMQ',
      'set durable: true',
    ],
    exclusive === true && [
      'queueOptions.exclusive',
      'is true, so the queue is deleted when this connection ends',
      'set exclusive: false',
    ],
    autoDelete === true && [
      'queueOptions.autoDelete',
      'is true, so the queue is deleted with its last receiver',
      'set autoDelete: false',
    ],
    ...droppingOptions(options.queueOptions ?? {}),
  ].filter((entry) => entry !== false);
  return losing.map(
    ([option, why, cure]) =>
      `ForwardPaymentEvents: option ${option} of the client ${name} ${why}, and events would be lost: ${cure} where you ` +
      'register the client',
  );
}

function droppingOptions(given: Readonly<Record<string, unknown>>): string[][] {
  const options = given as { arguments?: Readonly<Record<string, unknown>>; overflow?: unknown };
  const overflow = options.overflow ?? options.arguments?.['x-overflow'];
  const refuses = typeof overflow === 'string' && REFUSING.test(overflow);
  return DROPPING.flatMap(([argument, option, why]) => {
    const isLength = argument.startsWith('x-max-length');
    const isOption = option !== null && given[option] !== undefined;
    const isGiven = isOption || options.arguments?.[argument] !== undefined;
    if (!isGiven || (isLength && refuses)) return [];
    const name = isOption ? option : `arguments['${argument}']`;
    const cure = isLength ? `set overflow: 'reject-publish' beside it` : 'remove it';
    return [[`queueOptions.${name}`, `is set, so ${why}`, cure]];
  });
}

/** What we use of amqp-connection-manager. It sets up a channel again each time it has connected. */
interface ConnectionManager {
  createChannel(options: ChannelOptions): EventEmitter;
}

interface ChannelOptions {
  setup(channel: unknown): Promise<void>;
}

/** What to do about a refusal, by the code of RabbitMQ's reply. */
const CURES: Readonly<Record<number, string>> = {
  403: 'give the user of its URL the permission to configure and write it',
  404: 'make what is missing, or correct its name where you register the client',
  405: 'end the other connection, which has it exclusively',
  406: 'write the options with which it was made where you register the client, or delete it in RabbitMQ',
};

/**
 * Notices what RabbitMQ refuses. Nest's client does not listen for errors of its channels, and Node.js ends the process when nobody does: a queue that
 * exists with other options would end the application with its first event, and again after each start.
 */
export class RabbitChannels {
  private readonly watched = new WeakSet<ConnectionManager>();
  /** The latest answer of RabbitMQ to what the client asserts: null when it accepted. */
  private readonly refusal$ = new BehaviorSubject<Error | null>(null);

  constructor(
    private readonly client: ClientRMQ,
    private readonly name: string,
  ) {}

  /**
   * Connects, and waits until the queue or the exchange is there. When RabbitMQ is away, it throws nothing.
   * @throws PaymentsConfigurationError when RabbitMQ refuses what the client asserts
   */
  async requireAccepted(): Promise<void> {
    new SafeLogger().log(
      `ForwardPaymentEvents: RabbitMQ drops confirmed events where a policy, or a queue of a receiver, has message-ttl, expires, or max-length ` +
        'without overflow reject-publish. A client cannot see that: check it with `rabbitmqctl list_policies` and `list_queues name arguments`',
    );
    const accepted$ = merge(this.connect(), this.refused$).pipe(timeout(START_MS));
    await firstValueFrom(accepted$).catch(() => undefined);
    const { value: refusal } = this.refusal$;
    if (refusal === null) return;
    await this.client.close().catch(() => undefined);
    throw new PaymentsConfigurationError([refusal.message]);
  }

  /** Resolves when it is sent. Rejects as soon as RabbitMQ refuses the queue or the exchange, for which Nest's client would wait without an end. */
  async send(emit: () => Observable<unknown>): Promise<void> {
    void this.connect().catch(() => undefined);
    await firstValueFrom(merge(this.refused$, emit().pipe(defaultIfEmpty(undefined))));
  }

  /** Fails when RabbitMQ refuses, or has refused and not accepted since. */
  private get refused$(): Observable<never> {
    return this.refusal$.pipe(
      mergeMap((refusal) => (refusal === null ? EMPTY : throwError(() => refusal))),
    );
  }

  /** The connection manager is there when `connect()` returns, and makes its channels later. After an attempt that failed there may be a new one. */
  private connect(): Promise<unknown> {
    const connected = this.client.connect() as Promise<unknown>;
    const manager = this.client.unwrap<ConnectionManager>();
    if (this.watched.has(manager)) return connected;
    this.watched.add(manager);
    const create = manager.createChannel.bind(manager);
    manager.createChannel = (options) =>
      survivesErrors(create({ ...options, setup: (channel) => this.setUp(options, channel) }));
    // The host may have connected before.
    const { channel } = this.client as unknown as { channel: EventEmitter | null };
    if (channel) survivesErrors(channel);
    return connected;
  }

  private async setUp(options: ChannelOptions, channel: unknown): Promise<void> {
    try {
      await options.setup(channel);
      this.refusal$.next(null);
    } catch (error) {
      const { code, message } = error as Error & { code?: unknown };
      // An error without a code is a lost connection.
      if (typeof code === 'number') this.refusal$.next(new Error(this.textOf(code, message)));
      throw error;
    }
  }

  private textOf(code: number, message: string): string {
    const cure = CURES[code];
    return `ForwardPaymentEvents: RabbitMQ refuses what the client ${this.name} uses (${message})${cure ? `: ${cure}` : ''}`;
  }
}

/** What a channel says about its set-up is known already, and what it sends again does not fail. */
function survivesErrors(channel: EventEmitter): EventEmitter {
  return channel.on('error', () => undefined);
}
