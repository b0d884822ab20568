import type { BenchContext } from './bench.context.js';
import type { Benchmark, Finding } from './benchmark.js';
import { alternate, type Contender } from './rounds.js';
import type { SubjectProcess } from './subject.process.js';
import { wordsOf } from './statistics.js';
import type { ReadResult } from './subjects/reader.subject.js';

const WAYS = {
  parse: 'JSON.parse of the text',
  downloadAndParse: 'node:http and JSON.parse',
  read: 'PollingService.get',
};

type Way = keyof typeof WAYS;

/** A very long list of transactions, read as a sweep reads it. */
export const pollingResult: Benchmark = {
  name: 'polling-result',
  title: 'A long polling result',
  async run(bench) {
    const transactions = bench.size(100_000, 2_000);
    const { samples, bytes } = await bench.with('platform', { transactions }, async (platform) => {
      const contenders = (Object.keys(WAYS) as Way[]).map((way) =>
        contender(bench, platform, way, transactions),
      );
      return {
        samples: await alternate(contenders, bench.rounds(5), (line) => bench.log(line)),
        bytes: await platform.call<number>('pollingBytes'),
      };
    });
    const what = `read a polling result of ${transactions} transactions`;
    const finding = (metric: string, against: Way, hoped: boolean): Finding => {
      const ratio = samples.ratio('read', against, metric);
      return {
        what: `${what}: ${metric === 'ms' ? 'time' : 'peak memory'}`,
        against: WAYS[against],
        reach: hoped ? `≤ 2 ×` : 'reported',
        measured: wordsOf(ratio, ' ×'),
        reached: hoped ? ratio.median <= 2 : null,
      };
    };
    const bars = (metric: string) =>
      (Object.keys(WAYS) as Way[]).map((way) => ({
        label: WAYS[way],
        value: samples.spread(way, metric),
        baseline: way !== 'read',
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
          'lets it through as it comes. Each reading is a process of its own. The time of `JSON.parse` is the parsing alone; ' +
          'its memory is that of text and objects.',
      ],
    };
  },
};

function contender(
  bench: BenchContext,
  platform: SubjectProcess,
  way: Way,
  transactions: number,
): Contender {
  const measure = async (round: number) => {
    const baseUrl = await platform.call<string>('url');
    const result = await bench.with(
      'reader',
      { baseUrl },
      (reader) => bench.measured(reader, `${way}-${round}`, () => reader.call<ReadResult>(way)),
      { execArgv: ['--expose-gc'] },
    );
    if (result.transactions !== transactions) {
      throw new Error(`${WAYS[way]} gave ${result.transactions} of ${transactions} transactions`);
    }
    return { ms: result.ms, peakMb: result.peakMb };
  };
  return { name: way, open: async () => ({ measure, close: async () => undefined }) };
}
