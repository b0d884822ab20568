/** Claims the deliveries that wait in a database, and acknowledges them, 20 at a time as a replica does. */
import { PostgresStore } from '@tillkit/postgres';
import { host, settingsOf } from './subject.host.js';

const AT_ONCE = 20;
const LEASE_MS = 30_000;

const { databaseUrl } = settingsOf<{ databaseUrl: string }>();
const store = new PostgresStore({ connectionString: databaseUrl });
await store.init();

/** Claims all deliveries that wait, and resolves with the number a second. */
async function claimAll(expected: number): Promise<number> {
  const startedAt = performance.now();
  let done = 0;
  for (;;) {
    const claimed = await store.deliveries.claim(['default'], 'webhook', AT_ONCE, LEASE_MS);
    if (claimed.length === 0) break;
    const held = await Promise.all(
      claimed.map((delivery) => store.deliveries.finish(delivery, { kind: 'done' })),
    );
    if (held.includes(false)) throw new Error('a claim was lost');
    done += claimed.length;
  }
  if (done !== expected) throw new Error(`${done} of ${expected} deliveries were claimed`);
  return done / ((performance.now() - startedAt) / 1000);
}

host({ claimAll }, () => store.close());
