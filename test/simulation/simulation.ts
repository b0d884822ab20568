import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import { runInContainer } from './container.runs.js';
import { historyOf } from './twin.plan.js';
import { runHistory } from './history.run.js';
import { runOnPostgres } from './postgres.runs.js';
import { runPart, mergeResults, type PartOptions, type PartResult } from './simulation.part.js';
import { failureTable, summary, describeFailure } from './simulation.report.js';
import { rarelyReached } from './situation.catalogue.js';

const USAGE = `npm run test:simulation -- [--histories N] [--seed S] [--workers 2] [--json FILE]
  --replay SEED [--whole]   prints the steps of one history, shrunk if it fails
  --known RULE              counts violations of this rule and goes on (can be repeated)
  --store postgres          keeps payments in a real PostgreSQL (200 histories unless set), also with --replay
  --container N             runs N histories in which each process is a Nest application with an HTTP server
  --two-accounts            every history has two accounts; without it every second one, by its seed
  --twice                   runs each history twice and compares their steps`;

/** Maximum failures that are described in full. A table lists the rest. */
const MAX_PRINTED = 3;

const { values } = parseArgs({
  options: {
    histories: { type: 'string' },
    store: { type: 'string', default: 'memory' },
    container: { type: 'string' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
    json: { type: 'string' },
    replay: { type: 'string' },
    whole: { type: 'boolean', default: false },
    known: { type: 'string', multiple: true, default: [] },
    twice: { type: 'boolean', default: false },
    'two-accounts': { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    first: { type: 'boolean', default: false },
    part: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const onPostgres = values.store === 'postgres';

Logger.overrideLogger(false);
// Errors are part of every history, and stack traces cost time.
Error.stackTraceLimit = values.replay === undefined ? 0 : 10;
const options: PartOptions = {
  seed: Number(values.seed),
  histories: Number(values.histories ?? (onPostgres ? 200 : 1000)),
  known: values.known,
  first: values.first,
  accounts: values['two-accounts'] ? 'two' : 'half',
  ...(values.only !== undefined && { only: values.only }),
};

if (values.help) console.log(USAGE);
else if (values.container !== undefined) {
  process.exitCode = (await runInContainer(options, Number(values.container))) ? 0 : 1;
} else if (onPostgres) {
  process.exitCode = (await runOnPostgres(options, values)) ? 0 : 1;
} else {
  // A history drains microtasks itself, which is possible only outside of a microtask.
  setImmediate(() => void main());
}

async function main(): Promise<void> {
  if (values.replay !== undefined) {
    console.log(replay(Number(values.replay)));
    return;
  }
  if (values.twice) {
    compareTwice();
    return;
  }
  if (values.part) {
    process.send?.(runPart(options));
    return;
  }
  const workers = Number(values.workers);
  const result = workers > 1 ? mergeResults(await inWorkers(workers)) : runPart(options);
  report(result);
}

function report(result: PartResult): void {
  console.log(summary(result));
  if (values.json) writeFileSync(values.json, JSON.stringify({ ...options, ...result }, null, 1));
  const missing = rarelyReached(result.histories, result.situations);
  for (const situation of missing) console.log(`reached too rarely: ${situation}`);
  const rules = new Set<string>();
  setImmediate(() => {
    for (const { seed, rule } of result.failures) {
      if (rules.has(rule) || rules.size >= MAX_PRINTED) continue;
      rules.add(rule);
      console.log(`\n${describeFailure(seed, new Set(values.known), false, options.accounts)}`);
    }
    if (result.failures.length > 0) {
      console.log(`\n${result.failures.length} histories broke a rule:\n${failureTable(result)}`);
    } else if (missing.length === 0) console.log('every rule held');
    if (result.failures.length + missing.length > 0) process.exitCode = 1;
  });
}

function replay(seed: number): string {
  const ignored = new Set(values.known);
  const plan = historyOf(seed, options.accounts);
  const failed = runHistory(plan, { ignored }).violation !== null;
  if (failed) return describeFailure(seed, ignored, values.whole, options.accounts);
  const { trace } = runHistory(plan, { ignored, recording: true });
  return [...(trace ?? []), `seed ${seed} breaks no rule`].join('\n');
}

/** Runs each seed twice: both runs must take the same steps. Otherwise no failure could be repeated. */
function compareTwice(): void {
  let different = 0;
  for (let n = 0; n < options.histories; n += 1) {
    const [one, other] = [1, 2].map(() =>
      runHistory(historyOf(options.seed + n, options.accounts)),
    );
    if (one?.hash === other?.hash && one?.steps === other?.steps) continue;
    different += 1;
    console.log(`seed ${options.seed + n} took other steps the second time`);
  }
  console.log(`${options.histories} histories run twice, ${different} differ`);
  if (different > 0) process.exitCode = 1;
}

async function inWorkers(workers: number): Promise<PartResult[]> {
  const share = Math.ceil(options.histories / workers);
  return Promise.all(
    Array.from({ length: workers }, async (_, n) => {
      const histories = Math.min(share, options.histories - n * share);
      const child = fork(
        fileURLToPath(import.meta.url),
        [
          '--part',
          '--seed',
          String(options.seed + n * share),
          '--histories',
          String(histories),
          ...values.known.flatMap((rule) => ['--known', rule]),
          ...(values.first ? ['--first'] : []),
          ...(values['two-accounts'] ? ['--two-accounts'] : []),
        ],
        { execArgv: process.execArgv },
      );
      const [result] = (await Promise.race([
        once(child, 'message'),
        once(child, 'exit').then(([code]) => {
          throw new Error(`a worker ended with ${String(code)} before it was done`);
        }),
      ])) as [PartResult];
      return result;
    }),
  );
}
