import { randomUUID } from 'node:crypto';
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

const QUEUE_IS_GONE = 'somebody has deleted it. Restart the application, which makes it again';

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

/** What we use of a channel of amqplib. */
type RawChannel = EventEmitter;

type Sent = (error: Error | null) => void;

interface SendOptions {
  messageId?: string;
  mandatory?: true;
}

/** What we use of a channel of amqp-connection-manager, which has a raw channel for each connection. */
interface ManagedChannel extends EventEmitter {
  sendToQueue(queue: string, content: Buffer, options: SendOptions, sent?: Sent): unknown;
}

/** What we use of amqp-connection-manager. It sets up a channel again each time it has connected. */
interface ConnectionManager {
  readonly _channels: readonly ManagedChannel[];
  close(): Promise<void>;
  createChannel(options: ChannelOptions): ManagedChannel;
}

interface ChannelOptions {
  setup(channel: RawChannel): Promise<void>;
}

/** What we use of Nest's client, although its types do not show it. */
interface ConnectingClient {
  /** Null before it has connected. */
  client: ConnectionManager | null;
  createClient(): ConnectionManager;
}

/** An error with which RabbitMQ has closed a channel has the code of its reply. */
type ChannelError = Error & { code?: unknown };

/** What to do about a refusal, by the code of its reply. */
const CURES: Readonly<Record<number, string>> = {
  403: 'give the user of its URL the permissions of docs/bus.md',
  404: 'make what is missing, or correct its name where you register the client',
  405: 'end the other connection, which has it exclusively',
  406: 'write the options with which it was made, or another name, where you register the client',
};

/** The clients whose channels we watch: two forwarders may have one client. */
const watched = new WeakMap<ClientRMQ, RabbitChannels>();

/**
 * Notices what RabbitMQ refuses, and what it drops. Nest's client does not listen for errors of its channels, and Node.js ends the process when nobody does: a queue
 * that exists with other options would end the application with its first event, and again after each start. And RabbitMQ confirms a message for a queue that somebody
 * has deleted, and drops it, unless the message is mandatory.
 */
export class RabbitChannels {
  /** The latest answer of RabbitMQ to what the client does: null when it accepted. */
  private readonly refusal$ = new BehaviorSubject<Error | null>(null);
  /** Mandatory messages that came back, by their `messageId`. A message comes back before it is confirmed. */
  private readonly returned = new Set<string>();

  private constructor(
    private readonly client: ClientRMQ,
    private readonly name: string,
  ) {
    const connecting = client as unknown as ConnectingClient;
    const create = connecting.createClient.bind(client);
    connecting.createClient = () => this.watch(create());
  }

  /**
   * Connects, and waits until the queue or the exchange is there. When RabbitMQ is away, it throws nothing.
   * @throws PaymentsConfigurationError when RabbitMQ refuses what the client asserts
   */
  static async accepted(client: ClientRMQ, name: string): Promise<RabbitChannels> {
    const known = watched.get(client);
    const channels = known ?? new RabbitChannels(client, name);
    watched.set(client, channels);
    if (!known) channels.begin();
    await channels.requireAccepted();
    return channels;
  }

  /**
   * A host that has connected before has channels that nobody watches: they are given up, and made again. Nest's `close()` may wait for one of them without
   * an end.
   */
  private begin(): void {
    const connected = this.client as unknown as ConnectingClient;
    const { client: manager } = connected;
    if (manager === null) return;
    for (const channel of this.watch(manager)._channels) survivesErrors(channel);
    Object.assign(connected, { client: null, channel: null, connectionPromise: null });
    manager.close().catch(() => undefined);
  }

  private async requireAccepted(): Promise<void> {
    new SafeLogger().log(
      `ForwardPaymentEvents: RabbitMQ drops confirmed events where a policy, or a queue of a receiver, has message-ttl, expires, or max-length ` +
        'without overflow reject-publish. A client cannot see that: check it with `rabbitmqctl list_policies` and `list_queues name arguments`',
    );
    const accepted$ = merge(this.client.connect() as Promise<unknown>, this.refused$);
    await firstValueFrom(accepted$.pipe(timeout(START_MS))).catch(() => undefined);
    const { value: refusal } = this.refusal$;
    if (refusal === null) return;
    await this.client.close().catch(() => undefined);
    throw new PaymentsConfigurationError([refusal.message]);
  }

  /** Resolves when it is sent. Rejects as soon as RabbitMQ refuses it, for which Nest's client would wait without an end. */
  async send(emit: () => Observable<unknown>): Promise<void> {
    await firstValueFrom(merge(this.refused$, emit().pipe(defaultIfEmpty(undefined))));
  }

  /** Fails when RabbitMQ refuses, or has refused and not accepted since. */
  private get refused$(): Observable<never> {
    return this.refusal$.pipe(
      mergeMap((refusal) => (refusal === null ? EMPTY : throwError(() => refusal))),
    );
  }

  private watch(manager: ConnectionManager): ConnectionManager {
    const create = manager.createChannel.bind(manager);
    manager.createChannel = (options) => {
      const channel = create({ ...options, setup: (raw) => this.setUp(options, raw) });
      return this.mandatory(survivesErrors(channel));
    };
    return manager;
  }

  private async setUp(options: ChannelOptions, raw: RawChannel): Promise<void> {
    raw.on('return', ({ properties }: { properties: { messageId: string } }) =>
      this.returned.add(properties.messageId),
    );
    raw.on('error', (error: ChannelError) => {
      this.refused(error);
      // amqplib ends the connection for an error that nobody takes. Without that, the manager makes no new channel.
      throw error;
    });
    try {
      await options.setup(raw);
      this.refusal$.next(null);
    } catch (error) {
      this.refused(error as ChannelError);
      throw error;
    }
  }

  /** An exchange drops by design what no queue wants, so only what goes to a queue is mandatory. */
  private mandatory(channel: ManagedChannel): ManagedChannel {
    const send = channel.sendToQueue.bind(channel);
    channel.sendToQueue = (queue, content, options, sent) => {
      const { messageId = randomUUID() } = options;
      return send(queue, content, { ...options, messageId, mandatory: true }, (error) => {
        const isDropped = this.returned.delete(messageId);
        sent?.(isDropped ? this.problem(`has no queue '${queue}'`, QUEUE_IS_GONE) : error);
      });
    };
    return channel;
  }

  /** An error without a code is a lost connection. */
  private refused({ code, message }: ChannelError): void {
    if (typeof code !== 'number') return;
    const what = `refuses what the client ${this.name} uses (${message})`;
    this.refusal$.next(this.problem(what, CURES[code]));
  }

  private problem(what: string, cure = 'see docs/bus.md'): Error {
    return new Error(`ForwardPaymentEvents: RabbitMQ ${what}: ${cure}`);
  }
}

/** What a channel would say, its set-up and its raw channel have said. */
function survivesErrors(channel: ManagedChannel): ManagedChannel {
  return channel.on('error', () => undefined);
}
