/**
 * Shows what reaches the receivers of a bus: a real RabbitMQ, Redis and NATS are killed in mid-stream, and the application too.
 * Usage: npm run test:bus [-- --payments 300] [--only rabbitmq-queue]
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runScript } from '../support/run.script.js';
import { natsPart, redisPart } from './at-most-once.part.js';
import { Report } from './bus.report.js';
import { RABBITMQ } from './brokers.js';
import { acknowledgedBeforeTheConfirm } from './planted.fault.js';
import { rabbitExchangePart, rabbitQueuePart } from './rabbitmq.part.js';

const PARTS = {
  'rabbitmq-queue': { run: rabbitQueuePart, needs: RABBITMQ.command },
  'rabbitmq-exchange': { run: rabbitExchangePart, needs: RABBITMQ.command },
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
if (values.only === undefined && existsSync(RABBITMQ.command)) {
  report.part('planted fault');
  process.env['PLANTED_FAULT'] = JSON.stringify(acknowledgedBeforeTheConfirm);
  const self = fileURLToPath(import.meta.url);
  const { code, output } = await runScript(self, '--only', 'rabbitmq-queue', '--payments', '60');
  const found = /FAILED\s+0 events are lost: (?<lost>\d+)/.exec(output)?.groups?.['lost'];
  report.check(
    'a forwarder that acknowledges before the confirm is found',
    code === 1 && found !== undefined,
    found === undefined ? output : `${found} events lost`,
  );
}
report.finish(performance.now() - began);
