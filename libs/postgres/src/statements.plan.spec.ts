import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  freshDatabase,
  inSchema,
  type TestDatabase,
} from '../../../test/contracts/test-database.js';
import { listDeliveries } from './deliveries/deliveries.query.js';
import { recentEvents } from './events/events.query.js';
import {
  accountsAttentionSql,
  accountsListSql,
  bareRequestsFindCandidatesSql,
  bareRequestsFindSql,
  operationsFindCandidatesSql,
  operationsFindUnmatchedSql,
  operationsMakeDueSql,
  operationsScheduleSql,
  retentionFindPersonSql,
  retentionFindRefundsSql,
  statisticsQueuesSql,
  statisticsRecentChangesSql,
  transactionsFindUntiedSql,
} from './generated/sql.js';

const FINISHED = 30_000;
const WAITING = 3_000;
/** A table has this many rows when the first plans after the first payments are made. */
const FEW = 6;
const TABLES = [
  'operation',
  'operation_queue',
  'operation_guard',
  'platform_name',
  'transaction',
  'bare_request',
  'delivery',
  'event',
  'listener',
  'queue',
  'account',
];

const CHANGES = [5, -5].map((id) => ({
  account: 'a',
  operation: { id: String(id), version: 1, set: { state: 'failed' } },
  transaction: {
    reference: 'R',
    referenceHash: 'ff',
    version: 1,
    sums: [],
    several: false,
    untied: true,
  },
  events: [],
  history: [],
}));

const WITH_EVENT = {
  account: 'a',
  operation: null,
  transaction: null,
  events: [{ id: 'new', name: 'payment.succeeded', stream: 'new', payload: {} }],
  history: [],
  claim: { listeners: ['mine'], leaseMs: 30_000 },
};

const RECORDING = {
  account: 'a',
  id: 'new',
  kind: 'payment',
  idempotencyKey: 'new',
  tills: ['1'],
  request: {},
  personal: {},
  anyPayer: false,
  phoneHash: 'ff' as string | null,
  guard: { keys: [{ key: 'fe', atTill: true }], inFlight: ['created', 'pending'], paid: [] },
  guardKeys: ['fe'],
  lastingKeys: [],
  currency: 'KES',
  amount: '1',
  amountMinor: '100',
  besides: [],
  inBackground: false,
  sendBeforeMs: 1,
};

const PAYOUT = {
  ...RECORDING,
  kind: 'payout',
  phoneHash: null,
  guard: { keys: [{ key: 'fd', paidForMs: 1_000 }], inFlight: ['created'], paid: ['succeeded'] },
  guardKeys: ['fd'],
  lastingKeys: [],
  dailyLimitMinor: '100000',
};

/** Each limit ends a claim of calls before its rows end. The limits are those of a listener, of an account, and of all. */
const WANTED = ['a', 'b'].map((account) => ({
  most: 15,
  lanes: ['mine', 'theirs'].map((id) => ({ lane: `call ${account} ${id}`, most: 10 })),
}));

interface Watched {
  name: string;
  statement: string;
  values?: unknown[];
  indexes: string[];
  /** True when its plan may sort a few rows, to lock them in order. */
  sorts?: boolean;
  /** The statement claims this many rows. It may lock no more. */
  claims?: number;
  /** True when the statement is planned at each call and not once for a connection. Then any plan is good for a small table. */
  plannedAnew?: boolean;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A customer with more payments of one amount than any real customer, among transactions of many others. */
const CUSTOMER = hash('customer');

/** This time is before everything that is stored. */
const LONG_AGO = Date.UTC(2020, 0);
const HOUR = [Date.UTC(2026, 0, 20, 10), Date.UTC(2026, 0, 20, 11)];

/** Frequent statements, and the indexes that each must use. */
const STATEMENTS: readonly Watched[] = [
  {
    name: 'claiming payments that are due',
    statement: `select * from :fn.claim_due_operations('{a,b}', false, 20, 1000, 1000)`,
    indexes: ['operation_queue_due', 'operation_queue_pkey', 'operation_pkey'],
    sorts: true,
    claims: 20,
  },
  {
    name: 'claiming payments that are followed',
    statement: `select * from :fn.claim_due_operations('{a,b}', true, 20, 1000, 1000)`,
    indexes: ['operation_queue_due', 'operation_queue_pkey', 'operation_pkey'],
    sorts: true,
    claims: 20,
  },
  {
    name: 'claiming deliveries',
    statement: `select * from :fn.claim_due_work('[{"most": 20, "lanes": [{"lane": "webhook", "most": 20}]}]', '{a,b}', 20, 1000)`,
    indexes: ['queue_due', 'queue_line', 'queue_pkey', 'delivery_pkey'],
    claims: 20,
  },
  {
    name: 'claiming calls',
    statement: `select * from :fn.claim_due_work('${JSON.stringify(WANTED)}', null, 20, 1000)`,
    indexes: ['queue_due', 'queue_line', 'queue_pkey', 'event_pkey'],
    claims: 20,
  },
  {
    name: 'listing recent events',
    statement: inSchema(recentEvents('a', 100, undefined).text),
    values: ['a'],
    indexes: ['event_age'],
    sorts: true,
    plannedAnew: true,
  },
  {
    name: 'looking for what came lately',
    statement: inSchema(statisticsRecentChangesSql),
    // All rows here came at once, and none came in the last second.
    values: ['a', 1_000, 50],
    indexes: ['event_age', 'delivery_of_account', 'operation_created'],
    plannedAnew: true,
  },
  {
    // This account has few deliveries. By their time alone, the statement would read all others first.
    name: 'listing the deliveries of a small account',
    statement: inSchema(listDeliveries('elsewhere', {}, 20, undefined).text),
    values: ['elsewhere'],
    indexes: ['delivery_of_account', 'queue_line'],
    plannedAnew: true,
    sorts: true,
  },
  {
    name: 'listing the callbacks of an operation',
    statement: inSchema(listDeliveries('a', { resourceId: '77' }, 20, undefined).text),
    values: ['a', '77'],
    indexes: ['delivery_resource', 'queue_line'],
    plannedAnew: true,
    sorts: true,
  },
  {
    name: 'looking for due work',
    statement: `select * from :fn.look_for_work('{a,b}', false, '{a,b}', false, 5000)`,
    indexes: ['operation_queue_due', 'queue_due', 'queue_line'],
  },
  {
    name: 'looking for due work of all accounts but some',
    statement: `select * from :fn.look_for_work('{x}', true, '{x}', true, 5000)`,
    indexes: ['operation_queue_due', 'queue_due', 'queue_line'],
  },
  {
    name: 'acknowledging calls',
    statement: `select :fn.finish_claims(
      array(select place from :schema.queue order by place desc limit 4), '{x,x,x,x}', '{done,done,retry,given_up}', '{0,0,0,0}', '{null,null,a,b}')`,
    indexes: ['queue_pkey'],
  },
  {
    name: 'acknowledging deliveries',
    statement: `select :fn.finish_claims('{1,2}', '{y,y}', '{done,retry}', '{0,0}', '{null,a}')`,
    indexes: ['queue_pkey', 'delivery_pkey'],
  },
  {
    name: 'making changes',
    statement: `select :fn.commit_changes('${JSON.stringify(CHANGES)}', 't', null)`,
    indexes: ['operation_pkey', 'transaction_pkey'],
    sorts: true,
  },
  {
    name: 'making a change whose event has listeners',
    statement: `select :fn.commit_changes('${JSON.stringify([WITH_EVENT])}', 't', null)`,
    indexes: ['listener_pkey', 'queue_line'],
    sorts: true,
  },
  {
    name: 'making a change with transfers',
    statement: `select :fn.commit_changes('${JSON.stringify([{ ...CHANGES[0], operation: { ...CHANGES[0]?.operation, transfers: ['OUT1'] }, transaction: null }])}', 't', null)`,
    indexes: ['operation_pkey', 'platform_name_pkey'],
    sorts: true,
  },
  {
    name: 'recording payments',
    statement: `select :fn.record_operations('${JSON.stringify([RECORDING])}', 50, 4000, false)`,
    indexes: ['operation_idempotency_key'],
    sorts: true,
  },
  {
    name: 'recording a payout with a limit',
    statement: `select :fn.record_operations('${JSON.stringify([PAYOUT])}', 50, 4000, false)`,
    indexes: ['operation_idempotency_key', 'operation_of_kind'],
    sorts: true,
  },
  {
    name: 'recording a payment while the same is in flight',
    statement: `select :fn.record_operations('${JSON.stringify([{ ...RECORDING, guard: { ...RECORDING.guard, keys: [{ key: hash('-7') }] }, guardKeys: [hash('-7')] }])}', 50, 4000, true)`,
    indexes: ['operation_guard_pkey', 'operation_pkey'],
    sorts: true,
  },
  {
    name: 'recording a payment that is there',
    statement: `select :fn.record_operations('${JSON.stringify([{ ...RECORDING, idempotencyKey: '7' }])}', 50, 4000, false)`,
    indexes: ['operation_idempotency_key'],
    sorts: true,
  },
  {
    name: 'recording a payment alone',
    statement: `select :fn.record_operations('${JSON.stringify([RECORDING])}', 3000, 4000, false)`,
    indexes: ['operation_idempotency_key'],
    sorts: true,
  },
  {
    name: 'making a change after which a payment is no longer in flight',
    statement: `select :fn.commit_changes('${JSON.stringify([CHANGES[1]].map((change) => ({ ...change, transaction: null })))}', 't', null)`,
    indexes: ['operation_pkey', 'operation_queue_pkey'],
    sorts: true,
  },
  {
    name: 'asking what refuses an operation that passes others',
    statement: `select :fn.refusal_of('${JSON.stringify({ ...RECORDING, guard: { ...RECORDING.guard, keys: [{ key: hash('-7') }] }, besides: ['-8', '-9'] })}')`,
    indexes: ['operation_guard_pkey', 'operation_pkey'],
    sorts: true,
  },
  {
    name: 'finding payments whose id nobody knows',
    statement: inSchema(operationsFindUnmatchedSql),
    values: ['a', ...HOUR, null, null, 200],
    indexes: ['operation_queue_unmatched', 'operation_pkey'],
    sorts: true,
    plannedAnew: true,
  },
  {
    name: 'finding operations that may own money, of a payer and of anybody',
    statement: inSchema(operationsFindCandidatesSql),
    values: [
      ['a', 'a'],
      ['100', '100'],
      ['KES', 'KES'],
      [CUSTOMER, null],
      ...[HOUR[0], HOUR[0], HOUR[1]].map((at) => [at, at]),
      100,
    ],
    indexes: ['operation_payer', 'operation_queue_money', 'operation_failed'],
    plannedAnew: true,
  },
  {
    name: 'finding money that may belong to a payment',
    statement: inSchema(transactionsFindUntiedSql),
    values: ['a', hash('amount'), CUSTOMER, ...HOUR, '100', 'KES', 100],
    indexes: ['transaction_untied', 'transaction_several'],
    plannedAnew: true,
  },
  {
    name: 'making payments due for money',
    statement: inSchema(operationsMakeDueSql),
    values: ['a', ['-5', '-6'], 'money', 60_000],
    indexes: ['operation_pkey'],
    plannedAnew: true,
  },
  {
    name: 'scheduling a payment',
    statement: inSchema(operationsScheduleSql),
    values: ['a', '-5', 1, 1_000, null],
    indexes: ['operation_pkey'],
    plannedAnew: true,
  },
  {
    name: 'finding a request of the host by its callback',
    statement: inSchema(bareRequestsFindSql),
    values: ['a', 'incoming-payments', '7'],
    indexes: ['bare_request_pkey'],
    plannedAnew: true,
  },
  {
    name: 'finding requests of the host that may own money',
    statement: inSchema(bareRequestsFindCandidatesSql),
    values: ['a', hash('amount'), Date.now() - 3_600_000, Date.now() + 3_600_000, CUSTOMER],
    indexes: ['bare_request_candidate'],
    plannedAnew: true,
  },
  {
    name: 'listing accounts by the beginning of their names',
    statement: inSchema(accountsListSql),
    values: ['shop-1', 'shop-17', null, 51],
    indexes: ['account_pkey'],
    plannedAnew: true,
  },
  {
    name: 'finding what is stored of a customer, in a day',
    statement: inSchema(retentionFindPersonSql),
    values: ['a', ['254700000001'], CUSTOMER, LONG_AGO, LONG_AGO + 86_400_000, []],
    indexes: ['operation_personal', 'transaction_age', 'delivery_of_account', 'event_age'],
    plannedAnew: true,
  },
  {
    name: 'finding refunds of the money of a customer, in a day',
    statement: inSchema(retentionFindRefundsSql),
    values: ['a', ['254700000001'], CUSTOMER, LONG_AGO, LONG_AGO + 86_400_000],
    indexes: ['operation_personal', 'transaction_age'],
    plannedAnew: true,
  },
  {
    name: 'counting duplicates of deliveries',
    statement: `select :fn.count_duplicates('{a}', '{ff}', '{1}')`,
    indexes: ['delivery_key'],
    sorts: true,
  },
];

/**
 * Accounts with waiting rows like those of `a`: one that the claims name, and one of another application, whose few rows have
 * been due longest.
 */
const OTHERS = `(values ('b', interval '0', 1), ('elsewhere', interval '1 hour', 300)) others(other, before, share)`;

let database: TestDatabase;
/** This connection has plans that were made for empty tables. */
let client: pg.Client;
/** This connection has plans that were made for tables with a few rows. */
let early: pg.Client;
const plans: string[] = [];

/** Returns the plans of a statement and of the statements inside its functions, as the server logs them. */
async function plansOf({ statement, values }: Watched, by = client): Promise<string> {
  plans.length = 0;
  await by.query('begin');
  await by.query(inSchema(statement), values);
  await by.query('rollback');
  return plans.join('\n');
}

/** Returns a connection that has made its plans for the tables as they are now. The server keeps them, so they must be good for full tables too. */
async function planned(): Promise<pg.Client> {
  const planning = new pg.Client({ connectionString: database.url });
  planning.on('notice', ({ message = '' }) => plans.push(message));
  await planning.connect();
  await planning.query(`load 'auto_explain';
    set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on;
    set auto_explain.log_analyze = on; set auto_explain.log_level = notice`);
  for (const watched of STATEMENTS) {
    for (let time = 0; time < 7; time += 1) await plansOf(watched, planning);
  }
  return planning;
}

/**
 * Makes this many finished operations, numbered from 1 on, and this many that wait, numbered from 0 down, with all rows that belong to
 * them.
 */
async function fill(finished: number, waiting: number): Promise<void> {
  await client.query(`set auto_explain.log_min_duration = -1;
    insert into tillkit.operation (id, account, kind, idempotency_key, tills, request, personal, any_payer, phone_hash, currency,
      amount, amount_minor, in_background, state, sent_at, send_before, created_at, updated_at, sent_about, failed_money)
    select n::text, 'a', 'payment', n::text, '{1}', '{}', '{}', false, sha256(n::text::bytea), 'KES', '1', '100', false,
      case when n <= 0 then 'pending' when n % 5 = 0 then 'failed' else 'succeeded' end,
      timestamptz '2026-01-20T12:00:00Z' - (abs(n) % 2500) * interval '1 min', now(), now(), now(),
      timestamptz '2026-01-20T12:00:00Z' - (abs(n) % 2500) * interval '1 min', case when n > 0 and n % 5 = 0 then '100 KES' end
    from generate_series(${1 - waiting}, ${finished}) n;
    insert into tillkit.operation_queue (account, id, followed, money, sent_about, unmatched, due_at)
    select account, id, state <> 'pending', case state when 'pending' then '100 KES' end, sent_about, state = 'pending' and id::int % 20 = 0,
      case when state = 'pending' then now() - abs(id::int) * interval '1 ms' else now() + interval '1 min' - id::int * interval '10 ms' end
    from tillkit.operation where state = 'pending' or id::int % 10 = 0;
    insert into tillkit.platform_name (account, name, operation_id, is_transfer)
    select account, sha256(id::bytea), id, true from tillkit.operation where account = 'a';
    insert into tillkit.operation_guard (account, key, holders) select account, sha256(id::bytea), array[id] from tillkit.operation;
    update tillkit.operation set phone_hash = decode('${CUSTOMER}', 'hex') where id::int % 50 = 0;
    insert into tillkit.operation
    select (jsonb_populate_record(operation, jsonb_build_object('account', other))).*
    from tillkit.operation, ${OTHERS} where exists (select from tillkit.operation_queue queued where queued.id = operation.id) and id::int % share = 0;
    insert into tillkit.operation_queue (account, id, followed, money, sent_about, due_at)
    select other, id, followed, money, sent_about, due_at - before from tillkit.operation_queue, ${OTHERS} where id::int % share = 0;
    insert into tillkit.transaction (account, reference_hash, reference, sums, marks, several, untied, originated_at, amount_hash,
      payer_hash, created_at)
    select 'a', sha256(n::text::bytea), n::text,
      jsonb_build_array('{"received": {}, "amountMinor": "100", "currency": "KES", "payerHash": null}'::jsonb), '[{}]',
      n % 1000 = 0, n % 5 = 0, timestamptz '2026-01-20T12:00:00Z' - (abs(n) % 2500) * interval '1 min',
      decode('${hash('amount')}', 'hex'), case when n % 50 > 0 then sha256(n::text::bytea) end, now()
    from generate_series(1, ${finished}) n;
    insert into tillkit.bare_request (account, id, resource, platform_id, sent_at, money, amount_hash, payer_hash, created_at)
    select 'a', n::text, 'incoming-payments', n::text, now(), '{}', decode('${hash('amount')}', 'hex'), sha256(n::text::bytea), now()
    from generate_series(1, ${waiting}) n;
    insert into tillkit.delivery (account, id, key, kind, verified_by, body, received_at)
    select 'a', n::text, sha256(n::text::bytea), 'webhook', 'signature', 'x', now()
    from generate_series(${1 - waiting}, ${finished}) n;
    insert into tillkit.queue (lane, account, item, line, due_at, token)
    select 'webhook', 'a', n::text, hashtextextended('a ' || n, 0), now() + n * interval '1 ms', 'y'
    from generate_series(${1 - waiting}, 0) n;
    insert into tillkit.delivery
    select (jsonb_populate_record(delivery, jsonb_build_object('account', other))).*
    from tillkit.delivery, ${OTHERS} where id::int <= 0 and id::int % share = 0;
    insert into tillkit.queue (lane, account, item, line, due_at)
    select lane, other, item, hashtextextended(other || ' ' || item, 0), due_at - before from tillkit.queue, ${OTHERS}
    where item::int % share = 0;
    insert into tillkit.event (account, id, name, stream, via, payload, created_at)
    select account, n::text, 'payment.succeeded', (n / 3)::text, '', '{}', now() - abs(n) * interval '1 ms'
    from generate_series(${1 - waiting}, ${finished}) n, unnest('{a,b}'::text[]) account;
    insert into tillkit.listener (account, event, listener, start)
    select a, 'payment.succeeded', l, 's' from unnest('{a,b}'::text[]) a, unnest('{mine,theirs}'::text[]) l;
    insert into tillkit.queue (lane, account, listener, item, line, due_at, token, attempts)
    select concat_ws(' ', 'call', account, l), account, l, n::text, hashtextextended((n / 3)::text, 0), now() - interval '1 s', 'x', 2
    from generate_series(${1 - waiting}, 0) n, unnest('{a,b}'::text[]) account,
      unnest('{mine,theirs}'::text[]) l;
    insert into tillkit.account (name) select 'shop-' || n from generate_series(1, ${finished}) n;
    set auto_explain.log_min_duration = 0`);
}

beforeAll(async () => {
  database = await freshDatabase();
  client = await planned();
  await fill(FEW, FEW);
  await client.query('analyze');
  early = await planned();
  await client.query(TABLES.map((table) => `delete from tillkit.${table}`).join(';'));
  await fill(FINISHED, WAITING);
});
afterAll(async () => {
  await client.end();
  await early.end();
  await database.drop();
});

/** Returns rows that the scans read: those they returned and those they filtered out. */
function rowsLookedAt(plan: string): number {
  const scans = [
    ...plan.matchAll(/Index (?:Only )?Scan[^\n]*actual [^\n]*rows=([\d.]+) loops=(\d+)/g),
  ];
  const returned = scans.map(([, rows, loops]) => Number(rows) * Number(loops));
  const thrown = [...plan.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, rows]) =>
    Number(rows),
  );
  return [...returned, ...thrown].reduce((sum, rows) => sum + rows, 0);
}

describe.each([
  { state: 'with a plan that was made for empty tables,', isAnalysed: false, by: () => client },
  { state: 'with a plan that was made for a few rows,', isAnalysed: false, by: () => early },
  { state: 'with the statistics of full tables,', isAnalysed: true, by: () => client },
])('$state', ({ isAnalysed, by }) => {
  beforeAll(async () => {
    if (isAnalysed) await client.query('analyze');
  });

  it.each(STATEMENTS.filter(({ plannedAnew }) => isAnalysed || !plannedAnew))(
    '$name walks $indexes and reads no whole table',
    async (watched) => {
      const plan = await plansOf(watched, by());
      for (const index of watched.indexes) expect(plan).toContain(` ${index} `);
      expect(plan).not.toMatch(/Seq Scan on (?!pg_)/);
      // Older servers add 10,000,000,000 to the cost of a scan that is switched off. They compile such an expensive plan at each call.
      expect(plan).not.toContain('JIT:');
      if (!watched.plannedAnew) {
        expect(plan).not.toMatch(
          /Bitmap (Heap|Index) Scan|Hash (Anti |Semi |Left |Right |)Join|->  Hash /,
        );
        if (!watched.sorts) expect(plan).not.toContain('Sort');
      }
      expect(rowsLookedAt(plan)).toBeLessThan(500);
    },
  );
});

describe.each(STATEMENTS.filter(({ claims }) => claims))('$name', (watched) => {
  it('locks no more rows than it claims', async () => {
    const plan = await plansOf(watched);
    const locks = [...plan.matchAll(/LockRows [^\n]*actual [^\n]*rows=([\d.]+) loops=(\d+)/g)];
    const locked = locks.reduce((sum, [, rows, loops]) => sum + Number(rows) * Number(loops), 0);
    // The server shows the mean of all loops, from version 18 on with two decimals, before that as a whole number.
    const rounding = locks.reduce(
      (sum, [, rows, loops]) => sum + Number(loops) * (rows?.includes('.') ? 0.005 : 0.5),
      0,
    );
    expect(locked - rounding).toBeLessThanOrEqual(watched.claims as number);
    expect(locked + rounding).toBeGreaterThanOrEqual(watched.claims as number);
  });
});

describe('looking for due work among much that waits for later', () => {
  it('reads only the first rows that are due soon', async () => {
    const plan = async (): Promise<string> => {
      const statement = `select * from :fn.look_for_work('{a,b}', false, '{a,b}', false, 5000)`;
      plans.length = 0;
      await client.query(inSchema(statement));
      return plans.join('\n');
    };
    await client.query('begin');
    await client.query(`set local auto_explain.log_min_duration = -1;
      update tillkit.operation_queue set due_at = now() + interval '1 h';
      update tillkit.queue set due_at = now() + interval '1 h';
      insert into tillkit.queue (lane, account, item, line, due_at)
      select 'webhook', 'a', 'later ' || n, n, now() + interval '1 h' from generate_series(1, 100000) n;
      set local auto_explain.log_min_duration = 0`);
    const found = await plan();
    await client.query('rollback');
    expect(found).not.toMatch(/Seq Scan on (?!pg_)/);
    // The statement claims one call of each of four pairs of account and listener.
    expect(rowsLookedAt(found)).toBeLessThan(10);
  });
});

describe('counting what needs attention in the accounts of a page, of a thousand', () => {
  /** Each shop has five rows of each kind. One shop has very many rows, and many of those only look open. */
  const FILL = `
    insert into tillkit.operation_queue (account, id, followed, sent_about, due_at, listed_as)
    select account, id, true, now(), 'infinity', 'rare' from tillkit.operation where state = 'succeeded'
    on conflict (id, account) do nothing;
    insert into tillkit.operation_queue (account, id, followed, sent_about, due_at, listed_as)
    select shop, shop || id, true, now(), 'infinity', 'in_review'
    from tillkit.operation, lateral (select 'shop-' || case when id::int < 5000 then id::int % 1000 else 7 end) shops(shop)
    where account = 'a' and id::int < 8000;
    insert into tillkit.queue (lane, account, listener, item, line, due_at)
    select 'dead ' || shop, shop, 'mine', 'dead ' || n, n, now()
    from generate_series(1, 8000) n, lateral (select 'shop-' || case when n < 5000 then n % 1000 else 7 end) shops(shop);
    insert into tillkit.delivery (account, id, key, kind, verified_by, body, received_at, outcome)
    select 'shop-' || case when n < 5000 then n % 1000 else 7 end, 'strange ' || n, sha256(('strange ' || n)::bytea), 'webhook',
      'signature', 'x', now(), 'unrecognised'
    from generate_series(1, 8000) n;
    analyze tillkit.operation_queue, tillkit.queue, tillkit.delivery`;

  it('reads what is open once, and of each account only what it counts', async () => {
    const shops = Array.from({ length: 50 }, (_, n) => `shop-${n}`);
    await client.query('begin');
    await client.query('set local auto_explain.log_min_duration = -1');
    await client.query(FILL);
    await client.query('set local auto_explain.log_min_duration = 0');
    plans.length = 0;
    const { rows } = await client.query(inSchema(accountsAttentionSql), [shops, 101]);
    await client.query('rollback');
    const plan = plans.join('\n');
    expect(rows).toHaveLength(50);
    expect(rows[7]).toMatchObject({ in_review: '101', dead_letters: '101', unrecognised: '101' });
    for (const index of [
      'operation_queue_due',
      'operation_queue_listed',
      'queue_due',
      'delivery_unrecognised',
    ])
      expect(plan).toContain(` ${index} `);
    expect(plan).not.toMatch(/Seq Scan on (?!pg_)/);
    // Each open row counts for the index, for the table and for the filter. The finished, reviewed and dead rows are many more.
    expect(rowsLookedAt(plan)).toBeLessThan(FINISHED);
  });
});

describe('counting what waits in all queues, among much that is finished', () => {
  it('reads the queues and partial indexes, and of what is kept only the first row of each account', async () => {
    plans.length = 0;
    const { rows } = await client.query(inSchema(statisticsQueuesSql));
    const plan = plans.join('\n');
    expect(rows).toContainEqual(
      expect.objectContaining({ account: 'a', queue: 'deliveries', count: String(WAITING) }),
    );
    for (const index of [/operation_pkey/, /delivery_unrecognised/])
      expect(plan).toMatch(new RegExp(`using ${index.source} on`));
    // The queues themselves contain only waiting rows.
    expect(plan).not.toMatch(/Seq Scan on (?!pg_|operation_queue|queue\b)/);
  });
});

describe('The columns that frequent changes write', () => {
  it.each([
    ['a claim', ['operation_queue', 'queue'], 'claimed_until|due_once_more|token|attempts'],
    [
      'a change of an operation',
      ['operation'],
      'state|version|updated_at|platform_id|sent_at|sender|transaction|settled_via|outcome|reason|cause|checks|evidence|window_swept',
    ],
  ])('by %s are in no index, so that it writes no index entry', async (_, tables, columns) => {
    const { rows } = await client.query<{ indexdef: string }>(
      `select indexdef from pg_indexes where schemaname = 'tillkit' and tablename = any($1) and indexdef ~ $2`,
      [tables, `\\m(${columns})\\M`],
    );
    expect(rows).toEqual([]);
  });
});
