import { connect } from '@nats-io/transport-node';
import { Redis } from 'ioredis';
import { BrokerProcess, type BrokerProgram } from './broker.process.js';
import { NATS, REDIS } from './brokers.js';
import type { Report } from '../support/report.js';
import type { BusKind } from './bus.settings.js';
import { BusStage } from './bus.stage.js';
import { quiet } from './rabbitmq.part.js';
import { ReceivedEvents } from './received.events.js';

const SOME = 20;

/** Subscribes to everything; the returned function ends that. */
type Subscribe = (port: number, received: ReceivedEvents) => Promise<() => unknown>;

export const redisPart = (report: Report): Promise<void> =>
  atMostOncePart(report, 'redis', REDIS, async (port, received) => {
    const redis = new Redis({ host: '127.0.0.1', port });
    redis.on('error', () => undefined);
    redis.on('pmessage', (_pattern: string, _channel: string, message: string) =>
      received.receive(message),
    );
    await redis.psubscribe('*');
    return () => redis.disconnect();
  });

export const natsPart = (report: Report): Promise<void> =>
  atMostOncePart(report, 'nats', NATS, async (port, received) => {
    const connection = await connect({ servers: `127.0.0.1:${port}` });
    connection.subscribe('>', {
      callback: (_error, message) => received.receive(message.string()),
    });
    await connection.flush();
    return () => connection.close();
  });

/** Redis and core NATS deliver to who listens now, and keep nothing: a call succeeds although nobody has received the event. */
async function atMostOncePart(
  report: Report,
  kind: BusKind,
  program: BrokerProgram,
  subscribe: Subscribe,
): Promise<void> {
  const broker = await BrokerProcess.start(program);
  const received = new ReceivedEvents();
  const unsubscribe = await subscribe(broker.port, received);
  const stage = await BusStage.open(kind, broker.port);
  await stage.askFor(SOME);
  await stage.settled();
  const before = await stage.written();
  await quiet(
    () => received.lost(before).length === 0,
    () => received.size,
  );
  report.check('events are delivered', received.lost(before).length === 0, received.size);
  report.check('each is a CloudEvent', received.problems.length === 0, received.problems[0] ?? '');

  await broker.kill();
  await unsubscribe();
  await stage.askFor(SOME);
  await stage.known();
  const waiting = await stage.waiting();
  report.check('while the broker is away, calls fail and wait', waiting > 0, `${waiting} wait`);
  await broker.start();
  await stage.settled();
  const left = await stage.waiting();
  report.check('the calls succeed when the broker is back', left === 0, `${left} wait`);
  const again = await subscribe(broker.port, received);
  await stage.askFor(1);
  await stage.settled();
  const written = await stage.written();
  const last = written.at(-1)?.id ?? '';
  await quiet(
    () => received.has(last),
    () => received.size,
  );
  const lost = received.lost(written).length;
  report.check('at most once: a receiver that is back later has lost events', lost > 0, lost);
  report.check('it receives again after that', received.has(last));
  await again();
  await stage.close();
  await broker.stop();
}
