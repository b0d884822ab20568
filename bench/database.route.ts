import type { BenchContext } from './bench.context.js';
import { withClient } from './postgres.server.js';
import { quantile } from './statistics.js';

/** Runs `work` with a function that turns the URL of a database into one behind a delay of each direction. */
export async function withDelay<T>(
  bench: BenchContext,
  delayMs: number,
  work: (route: (databaseUrl: string) => string) => Promise<T>,
): Promise<T> {
  const { hostname, port } = new URL((await bench.postgres()).url);
  const to = { host: hostname, port: Number(port) };
  return bench.with('slow-network', { to, delayMs }, async (network) => {
    const routed = await network.call<number>('port');
    return work((databaseUrl) => {
      const url = new URL(databaseUrl);
      url.port = String(routed);
      return url.href;
    });
  });
}

/** The median time of the shortest statement, in milliseconds. */
export async function roundTripMs(databaseUrl: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const times: number[] = [];
    for (let n = 0; n < 100; n += 1) {
      const startedAt = performance.now();
      await client.query('select 1');
      times.push(performance.now() - startedAt);
    }
    return quantile(
      times.toSorted((one, other) => one - other),
      0.5,
    );
  });
}
