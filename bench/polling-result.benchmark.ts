import type { BenchContext } from './bench.context.js';
import type { Benchmark, Finding } from './benchmark.js';
import { alternate, type Contender } from './rounds.js';
import type { SubjectProcess } from './subject.process.js';
import { formatSpread } from './statistics.js';
import type { ReadResult } from './subjects/reader.subject.js';

const METHODS = {
  parse: 'JSON.parse of the text',
  downloadAndParse: 'node:http and JSON.parse',
  read: 'PollingService.get',
};

type ReadMethod = keyof typeof METHODS;

/** Reads a very long list of transactions, as a sweep does. */
export const pollingResult: Benchmark = {
  name: 'polling-result',
  title: 'A long polling result',
  async run(bench) {
    const transactions = bench.size(100_000, 2_000);
    const { samples, bytes } = await bench.with('platform', { transactions }, async (platform) => {
      const contenders = (Object.keys(METHODS) as ReadMethod[]).map((method) =>
        contender(bench, platform, method, transactions),
      );
      return {
        samples: await alternate(contenders, bench.rounds(5), (line) => bench.log(line)),
        bytes: await platform.call<number>('pollingBytes'),
      };
    });
    const what = `read a polling result of ${transactions} transactions`;
    const finding = (metric: string, against: ReadMethod, hasTarget: boolean): Finding => {
      const ratio = samples.ratio('read', against, metric);
      return {
        what: `${what}: ${metric === 'ms' ? 'time' : 'peak memory'}`,
        against: METHODS[against],
        reach: hasTarget ? `≤ 2 ×` : 'reported',
        measured: formatSpread(ratio, ' ×'),
        reached: hasTarget ? ratio.median <= 2 : null,
      };
    };
    const bars = (metric: string) =>
      (Object.keys(METHODS) as ReadMethod[]).map((method) => ({
        label: METHODS[method],
        value: samples.spread(method, metric),
        baseline: method !== 'read',
      }));
    return {
      findings: [
        finding('ms', 'parse', true),
        finding('ms', 'downloadAndParse', false),
        finding('peakMb', 'parse', true),
      ],
      charts: [
        { title: `Time for ${transactions} transactions`, unit: 'ms', bars: bars('ms') },
        { title: `Peak memory for ${transactions} transactions`, unit: 'MB', bars: bars('peakMb') },
      ],
      samples,
      notes: [
        `The text has ${(bytes / 2 ** 20).toFixed(1)} MB; \`http.maxResponseBytes\` (8 MB, ten times that for a polling result) ` +
          'accepts it by default. Each read is a separate process. The time of `JSON.parse` is only the parsing; ' +
          'its memory includes the text and the objects.',
      ],
    };
  },
};

function contender(
  bench: BenchContext,
  platform: SubjectProcess,
  method: ReadMethod,
  transactions: number,
): Contender {
  const measure = async (round: number) => {
    const baseUrl = await platform.call<string>('url');
    const result = await bench.with(
      'reader',
      { baseUrl },
      (reader) =>
        bench.measured(reader, `${method}-${round}`, () => reader.call<ReadResult>(method)),
      { execArgv: ['--expose-gc'] },
    );
    if (result.transactions !== transactions) {
      throw new Error(
        `${METHODS[method]} gave ${result.transactions} of ${transactions} transactions`,
      );
    }
    return { ms: result.ms, peakMb: result.peakMb };
  };
  return { name: method, open: async () => ({ measure, close: async () => undefined }) };
}
