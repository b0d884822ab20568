/**
 * Kills an application again and again while a transactional listener marks orders as paid. At the end, each order must be paid once.
 * Usage: npm run test:hosts -- --kills 50 [LIBRARY]...; see hosts.mjs
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PostgresStore } from '@tillkit/postgres';
import type { PaymentsEvents } from '@tillkit/payments';
import { seededRandom } from '../campaigns/seeded.random.js';
import { aTransaction, commitEvents, newEvent, times } from '../contracts/store-under-test.js';
import { freshDatabase, startTestServer, stopTestServer } from '../contracts/test-database.js';
import { hostLibraries } from '../support/host-libraries.js';
import { poolOf } from '../support/pool.js';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000' },
    kills: { type: 'string', default: '50' },
    seed: { type: 'string' },
  },
});
const events = Number(values.events);
const kills = Number(values.kills);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));

const HOST = fileURLToPath(new URL('effects.host.ts', import.meta.url));
const HOOKS = new URL('../support/typescript.register.mjs', import.meta.url).href;

interface Result {
  lost: number;
  repeated: number;
  killed: number;
}

function start(library: string, url: string): ChildProcess {
  return spawn(
    process.execPath,
    ['--conditions=@tillkit/source', '--import', HOOKS, HOST, library, url],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
}

async function campaign(library: string): Promise<Result> {
  const random = seededRandom(seed);
  const database = await freshDatabase();
  const observer = poolOf(database.url, { max: 1 });
  const store = new PostgresStore({ connectionString: database.url });
  try {
    await observer.query(
      'create table public.shop_order (id text primary key, paid integer not null default 0)',
    );
    const listener = { event: 'payment.succeeded', listener: 'Orders.paid' } as const;
    await store.events.registerListeners('default', [listener], 'campaign');
    const ids = times(events, (n) => `order-${n}`);
    await observer.query('insert into public.shop_order select unnest($1::text[])', [ids]);
    for (const id of ids) await commitEvents(store, 'default', paidEvent(id));
    const numberOf = async (which: string): Promise<number> => {
      const text = `select count(*)::integer as number from public.shop_order where ${which}`;
      return ((await observer.query<{ number: number }>(text)).rows[0] as { number: number })
        .number;
    };
    let killed = 0;
    while (killed < kills) {
      const before = await numberOf('paid > 0');
      const host = start(library, database.url);
      const died = once(host, 'exit');
      // It dies after it has marked a few orders, while it marks others.
      const wanted = before + Math.ceil(random() * ((1.5 * events) / kills));
      while (host.exitCode === null && (await numberOf('paid > 0')) < Math.min(wanted, events))
        await sleep(random() * 10);
      host.kill('SIGKILL');
      await died;
      killed += 1;
    }
    const last = start(library, database.url);
    while ((await waiting(observer)) > 0) await sleep(50);
    last.kill('SIGTERM');
    await once(last, 'exit');
    return { lost: await numberOf('paid = 0'), repeated: await numberOf('paid > 1'), killed };
  } finally {
    await store.close();
    await observer.end();
    await database.drop();
  }
}

async function waiting(observer: ReturnType<typeof poolOf>): Promise<number> {
  const text = `select count(*)::integer as number from tillkit.queue where lane like 'call %'`;
  return ((await observer.query<{ number: number }>(text)).rows[0] as { number: number }).number;
}

function paidEvent(idempotencyKey: string): ReturnType<typeof newEvent> {
  const payment = {
    id: idempotencyKey,
    idempotencyKey,
  } as PaymentsEvents['payment.succeeded']['payment'];
  const content = { payment, transaction: aTransaction({ reference: idempotencyKey }) };
  return newEvent(
    'payment.succeeded',
    { account: 'default', stream: idempotencyKey, via: 'webhook' },
    content as never,
  );
}

console.log(`${events} events and ${kills} kills for each library, seed ${seed}`);
let isClean = true;
await startTestServer();
try {
  for (const { library } of hostLibraries()) {
    const { lost, repeated, killed } = await campaign(library);
    console.log(`${library}: ${killed} kills, ${lost} lost, ${repeated} repeated`);
    isClean &&= lost === 0 && repeated === 0;
  }
} finally {
  await stopTestServer();
}
console.log(isClean ? 'clean' : 'NOT CLEAN');
process.exit(isClean ? 0 : 1);
