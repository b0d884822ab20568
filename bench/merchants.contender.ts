import type { BenchContext } from './bench.context.js';
import type { Contender, Measurement, OpenContender } from './rounds.js';
import type { SubjectProcess } from './subject.process.js';
import type { PaidResult } from './subjects/orders.js';
import { costOf } from './work.cost.js';

export const CONCURRENCY = 50;

/** A result and a webhook come at most this long after the answer to a create, in milliseconds. */
const WITHIN_MS = 5;

/** Payments at full load, or at a constant pace. */
export interface PaymentsLoad {
  warmUp: number;
  count: number;
  /** Milliseconds between two payments; null: as many as possible. */
  everyMs: number | null;
}

/** Returns a merchant with its own platform and database. It measures whole payments and what each of them costs. */
export function merchant(
  bench: BenchContext,
  name: string,
  subject: 'merchant' | 'by-hand',
  settings: object,
  { warmUp, count, everyMs }: PaymentsLoad,
): Contender {
  const open = async (): Promise<OpenContender> => {
    const server = await bench.postgres();
    const database = await server.createDatabase();
    const platform = await bench.start('paying-platform', { withinMs: WITHIN_MS });
    const baseUrl = await platform.call<string>('url');
    const contender = await bench.open(
      subject,
      { ...settings, databaseUrl: database.url, baseUrl },
      async (shop) => {
        await platform.call('deliverTo', [await shop.call<string>('url')]);
        await pay(shop, { from: 0, count: warmUp, everyMs: null });
        return async (round): Promise<Measurement> => {
          const from = warmUp + (round - 1) * count;
          return bench.measured(shop, `${name}-${round}`, () =>
            costOf(bench, [shop], count, () => pay(shop, { from, count, everyMs })),
          );
        };
      },
    );
    return {
      ...contender,
      close: async () => {
        await contender.close();
        await bench.stop(platform);
        await database.drop();
      },
    };
  };
  return { name, open };
}

async function pay(
  shop: SubjectProcess,
  { from, count, everyMs }: { from: number; count: number; everyMs: number | null },
): Promise<Measurement> {
  const result = await (everyMs === null
    ? shop.call<PaidResult>('payMany', { from, count, concurrency: CONCURRENCY })
    : shop.call<PaidResult>('payPaced', { from, count, everyMs }));
  return { ...result };
}
