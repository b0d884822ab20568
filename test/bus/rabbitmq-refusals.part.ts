import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { ClientRMQ, ClientsModule, Transport, type RmqOptions } from '@nestjs/microservices';
import { PaymentsConfigurationError } from '@tillkit/payments';
import { ForwardPaymentEvents } from '@tillkit/payments/microservices';
import { connect, type Channel } from 'amqplib';
import { aRequestOfAnother, Merchant } from '../support/merchant.js';
import { BrokerProcess } from './broker.process.js';
import { RABBITMQ, rabbitUrl } from './brokers.js';
import type { Report } from '../support/report.js';
import { QUEUE } from './bus.settings.js';
import { ReceivedEvents } from './received.events.js';

/** A minute is much longer than anything here takes. */
const ATTEMPTS = 600;

const OTHER = { durable: true, arguments: { 'x-max-length': 5 } };

/** What exists before the application starts, what its client asserts, and what the start says. */
const REFUSED: readonly [
  what: string,
  exists: (channel: Channel) => Promise<unknown>,
  options: RmqOptions['options'],
  says: RegExp,
][] = [
  [
    'a queue with a length',
    (channel) => channel.assertQueue('with-length', OTHER),
    { queue: 'with-length' },
    /'BUS' uses .*inequivalent arg 'x-max-length' for queue 'with-length'.*: write the options/,
  ],
  [
    'a queue that is not durable',
    (channel) => channel.assertQueue('transient', { durable: false }),
    { queue: 'transient' },
    /inequivalent arg 'durable' for queue 'transient'/,
  ],
  [
    'an exchange of another type',
    (channel) => channel.assertExchange('of-type', 'direct'),
    { exchange: 'of-type', wildcards: true },
    /inequivalent arg 'type' for exchange 'of-type'/,
  ],
  [
    'no exchange to bind to',
    () => Promise.resolve(),
    { queue: 'bound', exchange: 'missing', routingKey: 'payments' },
    /no exchange 'missing'.*: make what is missing/,
  ],
];

/** RabbitMQ refuses the queue or the exchange: at the start, and while the application runs. Nothing ends the process, and no event is lost. */
export async function rabbitRefusalsPart(report: Report): Promise<void> {
  const thrown: unknown[] = [];
  const keep = (error: unknown): number => thrown.push(error);
  process.on('unhandledRejection', keep).on('uncaughtException', keep);
  const broker = await BrokerProcess.start(RABBITMQ);
  for (const [what, exists, options, says] of REFUSED) {
    await withChannel(broker, exists);
    const error = await opened(broker, options).catch((refused: unknown) => refused);
    const problem = error instanceof PaymentsConfigurationError ? error.message : '';
    report.check(`the start is refused with ${what}`, says.test(problem), problem || String(error));
  }
  await changedWhileItRuns(report, broker);
  await wrongWhenItComesBack(report, broker);
  await fullQueue(report, broker);
  await deletedWhileItRuns(report, broker);
  await connectedByTheHost(report, broker);
  await sleep(100);
  report.check(
    'nothing would have ended the process',
    thrown.length === 0,
    thrown.length > 0 ? inspect(thrown[0]) : '',
  );
  process.off('unhandledRejection', keep).off('uncaughtException', keep);
  await broker.stop();
}

/** Somebody deletes the queue, makes it with other options, and later repairs it. */
async function changedWhileItRuns(report: Report, broker: BrokerProcess): Promise<void> {
  const merchant = await opened(broker, { queue: QUEUE });
  await withChannel(broker, async (channel) => {
    await channel.deleteQueue(QUEUE);
    await channel.assertQueue(QUEUE, OTHER);
  });
  await broker.kill('SIGTERM');
  await broker.start();
  const { id } = await merchant.payments.request(aRequestOfAnother());
  await checkNamed(report, merchant, id, "inequivalent arg 'x-max-length' for queue 'payments'");
  await withChannel(broker, (channel) => channel.deleteQueue(QUEUE));
  const received = await receivedFrom(broker, QUEUE, (events) => events.size > 0);
  report.check(
    'its events come when it is repaired',
    received.size > 0,
    `${received.size} for ${id}`,
  );
  await merchant.close();
  await withChannel(broker, (channel) => channel.deleteQueue(QUEUE));
}

/** RabbitMQ is away at the start, and comes back with another queue than the client asserts. */
async function wrongWhenItComesBack(report: Report, broker: BrokerProcess): Promise<void> {
  await withChannel(broker, (channel) => channel.assertQueue(QUEUE, OTHER));
  await broker.kill('SIGTERM');
  const merchant = await opened(broker, { queue: QUEUE });
  const { id } = await merchant.payments.request(aRequestOfAnother());
  await broker.start();
  await checkNamed(report, merchant, id, 'PRECONDITION_FAILED');
  await withChannel(broker, (channel) => channel.deleteQueue(QUEUE));
  const received = await receivedFrom(broker, QUEUE, (events) => events.size > 0);
  report.check('its events come when it is repaired', received.size > 0, received.size);
  await merchant.close();
  await withChannel(broker, (channel) => channel.deleteQueue(QUEUE));
}

/** A full queue that refuses what it has no room for: events wait in the store. */
async function fullQueue(report: Report, broker: BrokerProcess): Promise<void> {
  const queueOptions = { durable: true, maxLength: 1, overflow: 'reject-publish' };
  const merchant = await opened(broker, { queue: QUEUE, queueOptions });
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    const { id } = await merchant.payments.request(aRequestOfAnother());
    ids.push(id);
  }
  await checkNamed(report, merchant, ids[2]!, 'nacked');
  const received = await receivedFrom(
    broker,
    QUEUE,
    (events) => !ids.some((id) => lacks(events, id)),
  );
  const lost = ids.filter((id) => lacks(received, id));
  report.check('0 of them are lost when there is room', lost.length === 0, lost.length);
  await merchant.close();
}

/** RabbitMQ confirms what it drops because its queue is gone: such a call must not be done. */
async function deletedWhileItRuns(report: Report, broker: BrokerProcess): Promise<void> {
  const merchant = await opened(broker, { queue: 'deleted' });
  await withChannel(broker, (channel) => channel.deleteQueue('deleted'));
  const { id } = await merchant.payments.request(aRequestOfAnother());
  await checkNamed(report, merchant, id, "RabbitMQ has no queue 'deleted'");
  await withChannel(broker, (channel) => channel.assertQueue('deleted', { durable: true }));
  const received = await receivedFrom(broker, 'deleted', (events) => !lacks(events, id));
  report.check('its events come when the queue is made again', !lacks(received, id));
  await merchant.close();
}

/** A host that connects its client before the application starts has channels that nobody watched. */
async function connectedByTheHost(report: Report, broker: BrokerProcess): Promise<void> {
  const options = { ...rabbit(broker), queue: 'connected' };
  const client = new ClientRMQ(options);
  await client.connect();
  const merchant = await Merchant.open({
    payments: PATIENT_LISTENERS,
    imports: [
      { module: class Bus {}, providers: [{ provide: 'BUS', useValue: client }], exports: ['BUS'] },
      ForwardPaymentEvents.register({ client: 'BUS' }),
    ],
  });
  await withChannel(broker, async (channel) => {
    await channel.deleteQueue('connected');
    await channel.assertQueue('connected', OTHER);
  });
  await broker.kill('SIGTERM');
  await broker.start();
  const { id } = await merchant.payments.request(aRequestOfAnother());
  await checkNamed(report, merchant, id, "for queue 'connected'");
  await merchant.close();
  await client.close();
}

function lacks(events: ReceivedEvents, id: string): boolean {
  const outcomes = [['payment.succeeded']];
  return events.unknownOutcomes([{ id, outcomes }]).length > 0;
}

const PATIENT_LISTENERS = {
  listeners: { timeoutMs: 2_000, retryScheduleMs: Array.from({ length: 4_000 }, () => 250) },
};

function rabbit({ port }: BrokerProcess) {
  return { urls: [rabbitUrl(port)], persistent: true };
}

function opened(broker: BrokerProcess, options: RmqOptions['options']): Promise<Merchant> {
  return Merchant.open({
    payments: PATIENT_LISTENERS,
    imports: [
      ClientsModule.register([
        { name: 'BUS', transport: Transport.RMQ, options: { ...rabbit(broker), ...options } },
      ]),
      ForwardPaymentEvents.register({ client: 'BUS' }),
    ],
  });
}

/** Waits until a failed call of the forwarder says why. */
async function checkNamed(
  report: Report,
  merchant: Merchant,
  payment: string,
  why: string,
): Promise<void> {
  let last: string | null = null;
  await until(async () => {
    const events = await merchant.store.events.list('default', payment);
    last =
      events.flatMap(({ calls }) => calls).find(({ lastError }) => lastError)?.lastError ?? null;
    return last?.includes(why) === true;
  });
  report.check(`a failed call says why: ${why}`, String(last).includes(why), String(last));
}

async function withChannel(
  { port }: BrokerProcess,
  work: (channel: Channel) => Promise<unknown>,
): Promise<void> {
  const connection = await connect(rabbitUrl(port));
  await work(await connection.createChannel());
  await connection.close();
}

/** Takes events from a queue, which may not be there yet, until there are enough. */
async function receivedFrom(
  { port }: BrokerProcess,
  queue: string,
  isEnough: (events: ReceivedEvents) => boolean,
): Promise<ReceivedEvents> {
  const events = new ReceivedEvents();
  await until(async () => {
    const connection = await connect(rabbitUrl(port));
    connection.on('error', () => undefined);
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    const message = await channel.get(queue, { noAck: true }).catch(() => false as const);
    if (message) events.receive(message.content.toString());
    await connection.close().catch(() => undefined);
    return isEnough(events);
  });
  return events;
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS && !(await isTrue()); attempt += 1) await sleep(100);
}
