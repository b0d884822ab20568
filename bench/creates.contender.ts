import type { BenchContext } from './bench.context.js';
import type { Contender, OpenContender } from './rounds.js';
import type { ClientName } from './subjects/client.subject.js';
import type { PlatformCounts } from './subjects/platform.subject.js';

const CONCURRENCY = 50;

export interface CreatesLoad {
  warmUp: number;
  count: number;
}

/** Returns a client with a warm token that creates payments at its own platform, 50 concurrently. */
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
        await subject.call('createMany', { from: 0, count: warmUp, concurrency: CONCURRENCY });
        return async (round) => {
          const from = warmUp + (round - 1) * count;
          const rate = await bench.measured(subject, `${name}-${round}`, () =>
            subject.call<number>('createMany', { from, count, concurrency: CONCURRENCY }),
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

/** Checks that the platform received every request. */
function check(name: string, client: ClientName, counts: PlatformCounts, expected: number): void {
  if (counts.creates !== expected) {
    throw new Error(`${name}: the platform received ${counts.creates} creates, not ${expected}`);
  }
  if (client !== 'axios' && counts.tokens !== 1) {
    throw new Error(`${name}: the platform received ${counts.tokens} token requests, not 1`);
  }
}
