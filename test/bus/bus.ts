/**
 * Shows what reaches the receivers of a bus: a real RabbitMQ, Redis and NATS are killed in mid-stream, and the application too.
 * Usage: npm run test:bus [-- --payments 300] [--only rabbitmq-queue]
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { natsPart, redisPart } from './at-most-once.part.js';
import { Report } from '../support/report.js';
import { RABBITMQ } from './brokers.js';
import { rabbitRefusalsPart } from './rabbitmq-refusals.part.js';
import { rabbitExchangePart, rabbitQueuePart } from './rabbitmq.part.js';

const PARTS = {
  'rabbitmq-queue': { run: rabbitQueuePart, needs: RABBITMQ.command },
  'rabbitmq-exchange': { run: rabbitExchangePart, needs: RABBITMQ.command },
  'rabbitmq-refusals': { run: rabbitRefusalsPart, needs: RABBITMQ.command },
  redis: { run: redisPart, needs: '/usr/bin/redis-server' },
  nats: { run: natsPart, needs: '/usr/sbin/nats-server' },
} as const;

const { values } = parseArgs({
  options: { payments: { type: 'string', default: '300' }, only: { type: 'string' } },
});
const report = new Report();
const began = performance.now();

for (const [name, { run, needs }] of Object.entries(PARTS)) {
  if (values.only !== undefined && values.only !== name) continue;
  if (!existsSync(needs)) {
    report.skip(
      name,
      `${needs} is missing: apt-get install rabbitmq-server redis-server nats-server`,
    );
    continue;
  }
  report.part(name);
  await run(report, Number(values.payments));
}
report.finish(performance.now() - began);
