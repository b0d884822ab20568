import { fileURLToPath } from 'node:url';
import { runScriptIn } from '../support/run.script.js';
import type { Finding } from './planted.finding.js';
import { environmentWith, type SourceFault } from './source.fault.js';

const BUS = fileURLToPath(new URL('../bus/bus.ts', import.meta.url));

/** Kills a real RabbitMQ while events are forwarded. The fault is found when some are lost. */
export async function findByBus(fault: SourceFault): Promise<Finding> {
  const { code, output } = await runScriptIn(
    environmentWith(fault),
    BUS,
    '--only',
    'rabbitmq-queue',
    '--payments',
    '60',
  );
  const lost = /FAILED\s+0 events are lost: (?<lost>\d+)/.exec(output)?.groups?.['lost'];
  if (code !== 1 || lost === undefined) return { isFound: false, detail: output };
  return { isFound: true, detail: `${lost} events lost` };
}
