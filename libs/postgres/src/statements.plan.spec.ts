import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase, type TestDatabase } from '../../../test/contracts/test-database.js';

const FINISHED = 30_000;
const WAITING = 3_000;

const CHANGES = [5, FINISHED + 5].map((id) => ({
  account: 'a',
  payment: { id: String(id), version: 1, set: { state: 'failed' } },
  transaction: { reference: 'R', tillKey: '1', moneyHash: 'ff', version: 1, set: {} },
  events: [],
  history: [],
}));

const RECORDING = {
  account: 'a',
  id: 'new',
  idempotencyKey: 'new',
  fingerprint: '',
  channel: '',
  tillNumber: '',
  tillKey: '1',
  subscriber: {},
  phoneHash: 'ff',
  currency: 'KES',
  amount: '1',
  amountMinor: '100',
  metadata: null,
  allowParallel: false,
  sendBeforeMs: 1,
  dueInMs: 1,
};

/** What runs all the time, by the functions of the schema, and the indexes that it must find its way by. */
const STATEMENTS = [
  {
    name: 'claiming payments that are due',
    statement: `select * from tillkit.claim_due_payments('a', 20, 1000)`,
    indexes: ['payment_due', 'payment_pkey'],
  },
  {
    name: 'claiming deliveries',
    statement: `select * from tillkit.claim_deliveries('a', 20, 1000)`,
    indexes: ['delivery_queue_due', 'delivery_queue_pkey', 'delivery_pkey'],
  },
  {
    name: 'claiming calls',
    statement: `select * from tillkit.claim_calls('a', '{mine}', 20, 1000)`,
    indexes: ['call_due', 'call_line', 'call_pkey', 'event_pkey'],
  },
  {
    name: 'acknowledging calls',
    statement: `select tillkit.finish_calls(
      '{1,2,3}', '{x,y,z}', '{done,retry,given_up}', '{0,0,0}', '{null,a,b}')`,
    indexes: ['call_pkey', 'event_pkey'],
  },
  {
    name: 'acknowledging deliveries',
    statement: `select tillkit.finish_deliveries('{1,2}', '{x,y}', '{done,retry}', '{0,0}', '{null,a}')`,
    indexes: ['delivery_queue_pkey'],
  },
  {
    name: 'making changes',
    statement: `select tillkit.commit_changes('${JSON.stringify(CHANGES)}')`,
    indexes: ['payment_pkey', 'till_transaction_pkey'],
    sorts: true,
  },
  {
    name: 'making one change',
    statement: `select tillkit.commit_change('a', '${JSON.stringify(CHANGES[1]?.payment)}', null, '[]', '[]')`,
    indexes: ['payment_pkey'],
  },
  {
    name: 'recording payments',
    statement: `select tillkit.record_payments('${JSON.stringify([RECORDING])}')`,
    indexes: ['payment_in_flight_parallel'],
  },
  {
    name: 'recording a payment while the same is in flight',
    statement: `select tillkit.record_payments('${JSON.stringify([{ ...RECORDING, phoneHash: Buffer.from('phone').toString('hex') }])}')`,
    indexes: ['payment_in_flight_parallel', 'payment_in_flight'],
  },
  {
    name: 'recording a payment that is there',
    statement: `select tillkit.record_payments('${JSON.stringify([{ ...RECORDING, idempotencyKey: '7' }])}')`,
    indexes: ['payment_idempotency_key'],
  },
  {
    name: 'counting deliveries that came again',
    statement: `select tillkit.count_redeliveries('{a}', '{ff}', '{1}')`,
    indexes: ['delivery_key'],
    sorts: true,
  },
];

let database: TestDatabase;
let client: pg.Client;
const plans: string[] = [];

/** Plans of the statements inside a function, as the server itself logs them. */
async function plansOf(statement: string): Promise<string> {
  plans.length = 0;
  await client.query('begin');
  await client.query(statement);
  await client.query('rollback');
  return plans.join('\n');
}

beforeAll(async () => {
  database = await freshDatabase();
  client = new pg.Client({ connectionString: database.url });
  client.on('notice', ({ message = '' }) => plans.push(message));
  await client.connect();
  await client.query(`load 'auto_explain';
    set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on;
    set auto_explain.log_analyze = on; set auto_explain.log_level = notice`);
  // plans that are made while everything is empty, and kept: they must be good for what comes
  for (const { statement } of STATEMENTS) {
    for (let time = 0; time < 7; time += 1) await plansOf(statement);
  }
  await client.query(`set auto_explain.log_min_duration = -1;
    insert into tillkit.payment (id, account, idempotency_key, fingerprint, channel, till_number, till_key, subscriber,
      phone_hash, currency, amount, amount_minor, allow_parallel, state, send_before, due_at, created_at, updated_at)
    select n::text, 'a', n::text, '', '', '', '1', '{}', sha256(n::text::bytea), 'KES', '1', '100', false,
      case when n <= ${FINISHED} then 'succeeded' else 'pending' end, now(),
      case when n > ${FINISHED} then now() - n * interval '1 ms' end, now(), now()
    from generate_series(1, ${FINISHED + WAITING}) n;
    update tillkit.payment set phone_hash = 'phone' where id = '${FINISHED + 7}';
    insert into tillkit.delivery (account, id, key, kind, verified_by, body, received_at)
    select 'a', n::text, sha256(n::text::bytea), 'webhook', 'signature', 'x', now()
    from generate_series(1, ${FINISHED + WAITING}) n;
    insert into tillkit.delivery_queue (account, id, due_at)
    select 'a', n::text, now() - n * interval '1 ms' from generate_series(${FINISHED + 1}, ${FINISHED + WAITING}) n;
    insert into tillkit.event (account, id, name, stream, via, payload, created_at)
    select 'a', n::text, 'payment.succeeded', (n / 3)::text, '', '{}', now() from generate_series(1, ${FINISHED + WAITING}) n;
    insert into tillkit.call (account, listener, event_id, stream_key, due_at)
    select 'a', l, n::text, hashtextextended((n / 3)::text, 0), now() - interval '1 s'
    from generate_series(${FINISHED + 1}, ${FINISHED + WAITING}) n, unnest('{mine,theirs}'::text[]) l;
    set auto_explain.log_min_duration = 0`);
}, 60_000);
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** Rows that every scan of a table looked at: those it gave and those it threw away. */
function rowsLookedAt(plan: string): number {
  const scans = [
    ...plan.matchAll(/Index (?:Only )?Scan[^\n]*actual [^\n]*rows=([\d.]+) loops=(\d+)/g),
  ];
  const given = scans.map(([, rows, loops]) => Number(rows) * Number(loops));
  const thrown = [...plan.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, rows]) =>
    Number(rows),
  );
  return [...given, ...thrown].reduce((sum, rows) => sum + rows, 0);
}

describe.each(STATEMENTS)('$name', ({ statement, indexes, sorts }) => {
  it(`walks ${indexes.join(', ')} and reads no table whole, also by a plan made when all was empty`, async () => {
    for (const analysed of [false, true]) {
      if (analysed) await client.query('analyze');
      const plan = await plansOf(statement);
      for (const index of indexes) expect(plan).toContain(` ${index} `);
      expect(plan).not.toMatch(
        /Seq Scan on (?!pg_)|Bitmap (Heap|Index) Scan|Hash (Anti |Semi |Left |Right |)Join|->  Hash /,
      );
      if (!sorts) expect(plan).not.toContain('Sort');
      expect(rowsLookedAt(plan)).toBeLessThan(400);
    }
  });
});
