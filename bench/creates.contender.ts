import type { BenchContext } from './bench.context.js';
import type { Contender, OpenContender } from './rounds.js';
import type { ClientName } from './subjects/client.subject.js';
import type { PlatformCounts } from './subjects/platform.subject.js';

const AT_ONCE = 50;

export interface CreatesLoad {
  warmUp: number;
  count: number;
}

/** A client that asks a platform of its own for payments, 50 at a time, with a token at hand. */
export function creates(
  bench: BenchContext,
  name: string,
  client: ClientName,
  { warmUp, count }: CreatesLoad,
  databaseUrl: string | null = null,
): Contender {
  const open = async (): Promise<OpenContender> => {
    const platform = await bench.start('platform', {});
    const baseUrl = await platform.call<string>('url');
    const contender = await bench.open(
      'client',
      { client, baseUrl, databaseUrl },
      async (subject) => {
        await subject.call('askFor', { from: 0, count: warmUp, atOnce: AT_ONCE });
        return async (round) => {
          const from = warmUp + (round - 1) * count;
          const rate = await bench.measured(subject, `${name}-${round}`, () =>
            subject.call<number>('askFor', { from, count, atOnce: AT_ONCE }),
          );
          check(name, client, await platform.call<PlatformCounts>('counts'), from + count);
          return { rate };
        };
      },
    );
    return {
      ...contender,
      close: async () => {
        await contender.close();
        await bench.stop(platform);
      },
    };
  };
  return { name, open };
}

/** Nothing is faster for having left something out. */
function check(name: string, client: ClientName, counts: PlatformCounts, asked: number): void {
  if (counts.creates !== asked) {
    throw new Error(`${name}: the platform was asked ${counts.creates} times, not ${asked}`);
  }
  if (client !== 'axios' && counts.tokens !== 1) {
    throw new Error(`${name}: the platform was asked for ${counts.tokens} tokens`);
  }
}
