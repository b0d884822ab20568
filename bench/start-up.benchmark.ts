import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from './bench.context.js';
import type { Benchmark, Finding } from './benchmark.js';
import { alternate, type Contender, type Measurement, type Samples } from './rounds.js';
import { formatSpread } from './statistics.js';
import { ADAPTERS, PLATFORM_TITLES, type PlatformName } from './platforms.js';

const SUBJECT = fileURLToPath(new URL('./subjects/start-up.subject.mjs', import.meta.url));

/** The imports of an application besides Nest itself. */
type Parts = 'nothing' | 'peers' | 'payments';

const PARTS: Record<Parts, string> = {
  nothing: 'empty app',
  peers: 'empty app that imports our peer dependencies',
  payments: 'with PaymentsModule.forRoot()',
};

/** The start-up time and memory that the module adds to an empty application. */
export const startUp: Benchmark = {
  name: 'start-up',
  title: 'Start-up and memory',
  async run(bench) {
    const adapters = bench.args.smoke ? ADAPTERS.slice(0, 1) : ADAPTERS;
    const contenders = adapters.flatMap((platform) =>
      (Object.keys(PARTS) as Parts[]).map((parts) => contender(bench, platform, parts)),
    );
    const samples = await alternate(contenders, bench.rounds(9), (line) => bench.log(line));
    return {
      findings: adapters.flatMap((platform) => findings(samples, platform)),
      charts: [
        chart(
          samples,
          adapters,
          'Start-up, from the beginning of the process to listening',
          'ms',
          'ms',
        ),
        chart(
          samples,
          adapters,
          'Resident memory after start and garbage collection',
          'MB',
          'rssMb',
        ),
      ],
      samples,
      notes: [
        'Each number is from a separate process. The peer dependencies: `@nestjs/axios`, `@nestjs/config`, ' +
          '`@nestjs/event-emitter`, `class-transformer`, `class-validator`.',
      ],
    };
  },
};

function nameOf(platform: PlatformName, parts: Parts): string {
  return `${platform}, ${PARTS[parts]}`;
}

function contender(bench: BenchContext, platform: PlatformName, parts: Parts): Contender {
  const settings = { platform, imports: parts };
  return {
    name: nameOf(platform, parts),
    open: async () => {
      // The first start reads all files from the disk, so it is not measured.
      if (!bench.args.smoke) await startOnce(settings);
      return { measure: () => startOnce(settings), close: async () => undefined };
    },
  };
}

async function startOnce(settings: object): Promise<Measurement> {
  const child = fork(SUBJECT, [], {
    execArgv: ['--expose-gc'],
    env: { ...process.env, SUBJECT: JSON.stringify(settings), NODE_OPTIONS: '' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exit = once(child, 'exit');
  const [message] = (await Promise.race([
    once(child, 'message'),
    exit.then(([code]) => {
      throw new Error(`start-up ended with ${String(code)}`);
    }),
  ])) as [Measurement];
  await exit;
  return message;
}

function findings(samples: Samples, platform: PlatformName): Finding[] {
  const [whole, empty] = [nameOf(platform, 'payments'), nameOf(platform, 'nothing')];
  const peers = nameOf(platform, 'peers');
  const line = (
    what: string,
    metric: string,
    unit: string,
    against: string,
    max: number | null,
  ): Finding => {
    const added = samples.difference(whole, against, metric);
    return {
      what: `${what}, ${PLATFORM_TITLES[platform]}`,
      against: against === empty ? 'the empty app' : 'the empty app that imports our peers',
      reach: max === null ? 'reported' : `≤ ${max}${unit}`,
      measured: formatSpread(added, unit),
      reached: max === null ? null : added.median <= max,
    };
  };
  return [
    line('start-up time added', 'ms', ' ms', empty, null),
    line('start-up time added', 'ms', ' ms', peers, 40),
    line('resident memory added', 'rssMb', ' MB', empty, null),
    line('resident memory added', 'rssMb', ' MB', peers, 6),
  ];
}

function chart(
  samples: Samples,
  adapters: readonly PlatformName[],
  title: string,
  unit: string,
  metric: string,
) {
  return {
    title,
    unit,
    bars: adapters.flatMap((platform) =>
      (Object.keys(PARTS) as Parts[]).map((parts) => ({
        label: nameOf(platform, parts),
        value: samples.spread(nameOf(platform, parts), metric),
        baseline: parts !== 'payments',
      })),
    ),
  };
}
