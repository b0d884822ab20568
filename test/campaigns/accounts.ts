/**
 * Many merchants under load: 1,000 accounts that a source loads, four replicas (two on Express, two on Fastify) on one PostgreSQL, 10,000
 * payments, and the API key and client secret of every account rotated in the middle.
 * Usage: npm run test:accounts [-- --accounts 1000] [--replicas 4] [--payments 10000] [--seed N]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { INSTANT_TIMINGS, Simulator, type Delivery } from '@tillkit/simulator';
import type { ShopsReplicaSettings } from './accounts.settings.js';
import { CampaignDatabase } from './campaign.database.js';
import { Replicas } from './replicas.js';
import { TcpProxy } from './tcp.proxy.js';

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '1000' },
    replicas: { type: 'string', default: '4' },
    payments: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
  },
});
const accounts = Number(values.accounts);
const payments = Number(values.payments);

/** Payments that are requested at the same time. */
const CONCURRENCY = 40;

/** Merchants whose secrets are rotated at the same time. */
const ROTATED_AT_ONCE = 50;

const REPLICA = fileURLToPath(new URL('./accounts.replica.ts', import.meta.url));

const shopOf = (n: number): string => `shop-${n}`;
const tillOf = (n: number): string => String(600_000 + n);

const database = await CampaignDatabase.start();
await database.rows(
  `create table shop (name text primary key, till text, client_id text, client_secret text, api_keys text[])`,
);
await database.rows(
  `create table received_event (id bigserial, name text, account text, event_id text, subject text)`,
);
const simulator = await Simulator.start({
  seed: Number(values.seed),
  timings: { ...INSTANT_TIMINGS, deliveryTimeout: 10_000 },
  deliveryRetries: [500, 1_000, 2_000, 4_000, 8_000],
  journalSize: 100,
  deliveriesKept: 4 * payments + 1_000,
  merchants: Array.from({ length: accounts }, (_, n) => ({
    name: shopOf(n),
    tillNumbers: [tillOf(n)],
  })),
});
for (const { name, tillNumbers, clientId, clientSecret, apiKey } of simulator.merchants.list()) {
  await database.own.query('insert into shop values ($1, $2, $3, $4, $5)', [
    name,
    tillNumbers[0],
    clientId,
    clientSecret,
    [apiKey],
  ]);
}
const targets: { ports: () => number[] } = { ports: () => [] };
const balancer = await TcpProxy.start(() => targets.ports());
const publicUrl = `http://127.0.0.1:${balancer.port}`;
const replicas = await Replicas.start<ShopsReplicaSettings>(
  Number(values.replicas),
  (name, port) => ({ name, port, databaseUrl: database.url, baseUrl: simulator.url, publicUrl }),
  REPLICA,
);
targets.ports = () => replicas.ports();

/** Does work for the numbers 0 to `count`, some of them at the same time. */
async function forEach(
  count: number,
  atOnce: number,
  work: (n: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) await work(next++);
    }),
  );
}

async function post(path: string, body: object = {}): Promise<Record<string, string>> {
  const response = await fetch(publicUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} was answered ${response.status}`);
  const text = await response.text();
  return (text ? JSON.parse(text) : {}) as Record<string, string>;
}

/**
 * The vault has the new secrets before the platform uses them, as a host would do it. The former client secret and the tokens that
 * it got end before any replica has loaded the account again.
 */
async function rotate(n: number): Promise<void> {
  const merchant = simulator.merchants.get(shopOf(n));
  const apiKey = `key-after-the-rotation-of-${n}`;
  const clientSecret = `secret-after-the-rotation-of-${n}`;
  await database.own.query(
    'update shop set api_keys = array[$2] || api_keys, client_secret = $3 where name = $1',
    [merchant.name, apiKey, clientSecret],
  );
  merchant.rotateSecret(clientSecret);
  merchant.dropOldSecrets();
  simulator.expireTokens(merchant.name);
  merchant.rotateApiKey({ apiKey });
}

/** Each payment has its own phone number, because nobody may be asked twice for the same amount at the same time. */
const phoneOf = (n: number): string => `+2547${String(n).padStart(6, '0')}01`;

console.log(
  `${accounts} accounts, ${values.replicas} replicas, ${payments} payments, secrets rotated in the middle, seed ${values.seed}`,
);
await forEach(accounts, CONCURRENCY, async (n) => {
  await post(`/shops/${shopOf(n)}/subscriptions`);
});
const states = new Map<string, number>();
let rotation: Promise<void> = Promise.resolve();
await forEach(payments, CONCURRENCY, async (n) => {
  if (n === Math.floor(payments / 2)) rotation = forEach(accounts, ROTATED_AT_ONCE, rotate);
  const shop = shopOf(n % accounts);
  const { state = '' } = await post(`/shops/${shop}/payments`, {
    key: `${shop}/${n}`,
    phoneNumber: phoneOf(n),
  });
  states.set(state, (states.get(state) ?? 0) + 1);
});
await rotation;
await simulator.idle();

const count = (sql: string): Promise<number> => database.count(sql);
const open = (): Promise<number> =>
  count(
    `select (select count(*) from tillkit.operation where state in ('created', 'requested', 'pending', 'unknown'))
       + (select count(*) from tillkit.queue where lane in ('callback', 'webhook') or lane like 'call %') as count`,
  );
for (let checks = 0; (await open()) > 0 && checks < 600; checks += 1) await sleep(200);

const charged = simulator.charges().filter(({ charged: isCharged }) => isCharged);
const attempts = simulator.deliveries.list().flatMap(({ attempts: all }: Delivery) => all);
const answered = (...statuses: number[]): number =>
  attempts.filter(({ status }) => status !== null && statuses.includes(status)).length;
/** Counts the answers of the replicas by status, and the attempts without an answer by their error. */
const answers = new Map<string, number>();
for (const { status, error } of attempts) {
  const answer = status === null ? String(error) : String(status);
  answers.set(answer, (answers.get(answer) ?? 0) + 1);
}
const result = {
  payments,
  charged: charged.length,
  'payment.succeeded': await count(
    `select count(*) from received_event where name = 'payment.succeeded'`,
  ),
  'till.transaction.received': await count(
    `select count(*) from received_event where name = 'till.transaction.received'`,
  ),
  lost:
    charged.length -
    (await count(
      `select count(distinct subject) from received_event where name = 'payment.succeeded'`,
    )),
  twice: await count(
    `select count(*) from (select 1 from received_event group by name, account, subject having count(distinct event_id) > 1) as twice`,
  ),
  'of another account': await count(
    `select count(*) from received_event where name like 'payment.%' and subject not like account || '/%'`,
  ),
  'failed or in review': await count(
    `select count(*) from received_event where name in ('payment.failed', 'payment.needs_review')`,
  ),
  open: await open(),
  deliveries: attempts.length,
  'refused deliveries': answered(401, 403, 404, 413, 415),
  'sent back (503)': answered(503),
};
console.log('states after request():', Object.fromEntries(states));
console.log('answers to deliveries:', Object.fromEntries(answers));
console.table(result);
await replicas.stop();
await simulator.stop();
await balancer.stop();
await database.stop();
const isClean =
  result.charged === payments &&
  result['payment.succeeded'] === payments &&
  result['till.transaction.received'] === payments &&
  [
    result.lost,
    result.twice,
    result['of another account'],
    result['failed or in review'],
    result.open,
    result['refused deliveries'],
  ].every((n) => n === 0);
console.log(
  isClean ? 'clean: nothing lost, nothing twice, no valid delivery refused' : 'NOT CLEAN',
);
process.exitCode = isClean ? 0 : 1;
