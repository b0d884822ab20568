import { setTimeout as sleep } from 'node:timers/promises';
import { BrokerProcess } from './broker.process.js';
import { RABBITMQ } from './brokers.js';
import type { Report } from '../support/report.js';
import { EXCHANGE, QUEUE } from './bus.settings.js';
import { BusStage } from './bus.stage.js';
import { NestReceiver } from './nest.receiver.js';
import { RabbitReceiver } from './rabbitmq.receiver.js';
import type { ReceivedEvents } from './received.events.js';

/** RabbitMQ is away for this time. */
const AWAY_MS = 2_000;

/** An event is lost when the receiver has got nothing for so long. */
const QUIET_MS = 30_000;

/** One durable queue: RabbitMQ is killed, then the application, then both. */
export async function rabbitQueuePart(report: Report, payments: number): Promise<void> {
  const broker = await BrokerProcess.start(RABBITMQ);
  const receiver = await RabbitReceiver.start(broker.port, QUEUE);
  const stage = await BusStage.open('rabbitmq-queue', broker.port);
  const { received } = receiver;
  const share = Math.ceil(payments / 6);
  const faults = async (): Promise<void> => {
    await untilMore(received, share);
    await broker.kill();
    await sleep(AWAY_MS);
    await broker.start();
    await untilMore(received, share);
    await stage.killApplication();
    await untilMore(received, share);
    // The events that wait in the memory of the client are gone with it.
    await broker.kill();
    await sleep(AWAY_MS);
    await stage.killApplication();
    await broker.start();
    await untilMore(received, share);
  };
  await stage.askWhile(faults(), payments);
  await checkReceived(report, stage, received);
  report.check(
    'the faults were felt: attempts were repeated',
    (await stage.repeated()) > 0,
    await stage.repeated(),
  );
  await stage.close();
  await receiver.close();
  await broker.stop();
}

/** An exchange with two queues: one for an independent receiver, one for a plain Nest application. */
export async function rabbitExchangePart(report: Report, payments: number): Promise<void> {
  const broker = await BrokerProcess.start(RABBITMQ);
  const receiver = await RabbitReceiver.start(broker.port, 'archive', EXCHANGE);
  const nest = await NestReceiver.start(broker.port, 'shop', EXCHANGE);
  const stage = await BusStage.open('rabbitmq-exchange', broker.port);
  const { received } = receiver;
  const atLeast = Math.ceil(payments / 3);
  const share = Math.ceil(atLeast / 3);
  const faults = async (): Promise<void> => {
    await untilMore(received, share);
    await broker.kill();
    await sleep(AWAY_MS);
    await broker.start();
    await untilMore(received, share);
  };
  await stage.askWhile(faults(), atLeast);
  await checkReceived(report, stage, received);
  const forNest = (await stage.written()).filter(({ name }) => name.startsWith('payment.'));
  await quiet(
    () => forNest.every(({ id }) => nest.ids.has(id)),
    () => nest.ids.size,
  );
  const missing = forNest.filter(({ id }) => !nest.ids.has(id)).length;
  report.check(
    `a plain @EventPattern('payment.*') received all ${forNest.length} events of payments, lost`,
    missing === 0,
    missing,
  );
  await stage.close();
  await nest.close();
  await receiver.close();
  await broker.stop();
}

async function checkReceived(
  report: Report,
  stage: BusStage,
  received: ReceivedEvents,
): Promise<void> {
  await stage.settled();
  const written = await stage.written();
  await quiet(
    () => received.lost(written).length === 0,
    () => received.size,
  );
  const lost = received.lost(written);
  const outcomes = received.unknownOutcomes(stage.asked);
  const { streams, wrong } = received.outOfOrder(written);
  report.say(`${stage.asked.length} payments, ${written.length} events written`);
  report.check('0 events are lost', lost.length === 0, lost.length);
  report.check('0 outcomes of payments are unknown', outcomes.length === 0, outcomes.length);
  for (const history of await stage.histories(outcomes.slice(0, 3)))
    report.say(JSON.stringify(history));
  // One may have come a moment ago: what waits for long is a fault.
  let unprocessed = await stage.waitingDeliveries();
  for (let n = 0; n < 1_000 && unprocessed > 0; n += 1) {
    await sleep(100);
    unprocessed = await stage.waitingDeliveries();
  }
  report.check('0 deliveries of the platform wait', unprocessed === 0, unprocessed);
  if (unprocessed > 0) report.say(JSON.stringify(await stage.deliveriesThatWait()));
  // Read after the arrivals: some may have been written a moment ago.
  const arrived = received.size;
  const committed = (await stage.written()).length;
  report.check(
    'the receiver got no event that was not written',
    arrived <= committed,
    `${arrived} of ${committed}`,
  );
  report.check(
    'each arrival is a CloudEvent, and duplicates are equal',
    received.problems.length === 0,
    received.problems[0] ?? `${received.duplicates} duplicates`,
  );
  report.check(
    'the events of an operation first arrive in order',
    wrong.length === 0 && streams > 0,
    `${wrong.length} of ${streams} operations with several events are out of order`,
  );
}

async function untilMore(received: ReceivedEvents, count: number): Promise<void> {
  const enough = received.size + count;
  await quiet(
    () => received.size >= enough,
    () => received.size,
  );
}

/** Waits until it is true, or nothing has changed for a while. */
export async function quiet(isTrue: () => boolean, size: () => number): Promise<void> {
  let before = size();
  let changedAt = performance.now();
  while (!isTrue() && performance.now() - changedAt < QUIET_MS) {
    await sleep(100);
    if (size() === before) continue;
    before = size();
    changedAt = performance.now();
  }
}
