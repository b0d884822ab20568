import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { OperationFilter, Page, TransactionFilter } from '@tillkit/payments/internal/store';
import {
  freshDatabase,
  inSchema,
  PATIENT,
  type TestDatabase,
} from '../../../../test/contracts/test-database.js';
import { MOST_LOOKED_AT } from '../page.query.js';
import { PostgresStore } from '../postgres.store.js';
import { listTransactions } from '../transactions/transactions.query.js';
import { listOperations } from './operations.query.js';

/** The account has enough rows for three looks. Each row is a second older than the one before. */
const ROWS = MOST_LOOKED_AT * 2 + 500;

/** Another account has this many rows between them. */
const OTHERS = 20_000;

describe('In a large database, a list', () => {
  let database: TestDatabase;
  let client: pg.Client;
  let store: PostgresStore;
  const plans: string[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    client = new pg.Client({ connectionString: database.url });
    client.on('notice', ({ message = '' }) => plans.push(message));
    await client.connect();
    await client.query(`
      insert into tillkit.operation (id, account, kind, idempotency_key, tills, request, personal, any_payer, phone_hash, currency,
        amount, amount_minor, in_background, state, reason, settled_via, send_before, created_at, updated_at, sent_about)
      select account || n, account, 'payment', 'ORDER-' || n, array[case when n = ${ROWS} then 'rare' else 'often' end], '{}',
        jsonb_build_object('subscriber', jsonb_build_object('firstName', 'First' || n, 'lastName', 'Last' || n % 7)), false,
        sha256(n::text::bytea), 'KES', (n % 5000) || '.00', (n % 5000) || '00', false,
        case when n % 10 = 0 then 'failed' else 'succeeded' end,
        case when n % 4000 = 0 then 'wrong_pin' when n % 10 = 0 then 'cancelled' end, 'callback', now(),
        timestamptz '2026-01-20T12:00:00Z' - n * interval '1 s', now(), now()
      from (select 'a' as account, generate_series(1, ${ROWS}) as n union all select 'b', generate_series(1, ${OTHERS})) rows;
      insert into tillkit.operation (id, account, kind, idempotency_key, tills, request, any_payer, currency, amount, amount_minor,
        in_background, state, send_before, created_at, updated_at, sent_about)
      select 'refund-' || account || n, account, 'refund', 'REFUND-' || n, '{}', jsonb_build_object('reference', 'REF' || n), false, 'KES',
        '1.00', '100', false, 'succeeded', now(), timestamptz '2026-01-19T12:00:00Z' - n * interval '1 s', now(), now()
      from (select 'a' as account, generate_series(1, 4000) as n union all select 'b', generate_series(1, 4000)) rows;
      insert into tillkit.transaction (account, reference_hash, reference, sums, marks, several, untied, originated_at, created_at)
      select account, sha256((account || n)::bytea), upper(md5(account || n)), jsonb_build_array(jsonb_build_object(
          'tills', array[case when n = ${ROWS} then 'rare' else 'often' end], 'received', jsonb_build_object('amount', '1'),
          'paymentId', case when n % 5000 > 0 then n::text end)),
        '[{}]', false, n % 5000 = 0, timestamptz '2026-01-20T12:00:00Z' - n * interval '1 s', now()
      from (select 'a' as account, generate_series(1, ${ROWS}) as n union all select 'b', generate_series(1, ${OTHERS})) rows;
      analyze tillkit.operation, tillkit.transaction;
      load 'auto_explain';
      set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on; set auto_explain.log_level = notice`);
    store = new PostgresStore({ connectionString: database.storeUrl, ...PATIENT });
  });

  afterAll(async () => {
    await store.close();
    await client.end();
    await database.drop();
  });

  /** Returns rows that the scans of a query read. */
  async function rowsRead({ text, values }: { text: string; values: unknown[] }): Promise<number> {
    plans.length = 0;
    await client.query(inSchema(text), values);
    const plan = plans.join('\n');
    expect(plan).not.toMatch(/Seq Scan on (operation|transaction)(?![^\n]*never executed)/);
    // This leaves out entries of an index that only says where to look. The planner decides how many of them it uses.
    const scans = plan.matchAll(
      /(?<!Bitmap )(?:Index (?:Only )?Scan|Bitmap Heap Scan)[^\n]*actual [^\n]*rows=([\d.]+) loops=(\d+)/g,
    );
    const thrown = plan.matchAll(/Rows Removed by (?:Filter|Index Recheck): (\d+)/g);
    return [
      ...[...scans].map(([, rows, loops]) => Number(rows) * Number(loops)),
      ...[...thrown].map(([, rows]) => Number(rows)),
    ].reduce((sum, rows) => sum + rows, 0);
  }

  const CURSOR = {
    microseconds: String(Date.UTC(2026, 0, 20, 11) * 1000),
    name: '',
  };

  it.each<[string, OperationFilter]>([
    ['without a filter', { kind: 'payment' }],
    ['of a time', { from: new Date('2026-01-20T10:00Z'), to: new Date('2026-01-20T11:00Z') }],
    ['of a name that one has', { kind: 'payment', name: 'first77' }],
    ['of a name that many have', { kind: 'payment', name: 'last3' }],
    ['of an order number', { kind: 'payment', keyBeginsWith: 'order-777' }],
    ['of a beginning that all order numbers have', { kind: 'payment', keyBeginsWith: 'ORDER' }],
    ['of an amount that few have', { kind: 'payment', amountFrom: '77', amountTo: '77' }],
    ['of amounts that most have', { kind: 'payment', amountFrom: '1' }],
    ['of amounts that none has', { kind: 'payment', amountFrom: '1000000' }],
    ['of a frequent state', { kind: 'payment', states: ['succeeded'] }],
    ['of a till that most have', { kind: 'payment', tillNumber: 'often' }],
    ['of states that none has', { kind: 'payment', states: ['needs_review', 'pending'] }],
    ['of the refunds of a transaction', { kind: 'refund', refundOf: 'REF77' }],
    ['of a rare state that none has', { kind: 'payment', states: ['reversed'] }],
  ])('%s reads few rows more than it shows', async (_, filter) => {
    for (const cursor of [undefined, CURSOR]) {
      expect(await rowsRead(listOperations('a', filter, 51, cursor))).toBeLessThan(2_500);
    }
  });

  it.each<[string, TransactionFilter]>([
    ['without a filter', {}],
    ['of a time', { from: new Date('2026-01-20T10:00Z'), to: new Date('2026-01-20T11:00Z') }],
    ['of the beginning of a receipt', { receipt: 'ab12' }],
    ['of the end of a receipt', { receipt: '7f3e' }],
    ['of money that nobody asked for', { matched: false }],
  ])('of transactions %s reads few rows more than it shows', async (_, filter) => {
    for (const cursor of [undefined, CURSOR]) {
      expect(await rowsRead(listTransactions('a', filter, 51, cursor))).toBeLessThan(500);
    }
  });

  async function pagesOf<T>(
    read: (after: string | undefined) => Promise<Page<T>>,
  ): Promise<Page<T>[]> {
    const pages: Page<T>[] = [];
    do pages.push(await read(pages.at(-1)?.next ?? undefined));
    while (pages.at(-1)?.next);
    return pages;
  }

  it('whose filter fits one row looks at a limited number for a page, says how far, and finds it in the end', async () => {
    const pages = await pagesOf((after) =>
      store.operations.list('a', { tillNumber: 'rare' }, { limit: 50, ...(after && { after }) }),
    );
    expect(pages.map(({ items }) => items.length)).toEqual([0, 0, 1]);
    const at = (rows: number) => new Date(Date.UTC(2026, 0, 20, 12) - rows * 1_000);
    expect(pages.map(({ lookedTo }) => lookedTo)).toEqual([
      at(MOST_LOOKED_AT),
      at(2 * MOST_LOOKED_AT),
      undefined,
    ]);
  });

  it('whose filter fits some rows has each of them once, in order', async () => {
    const pages = await pagesOf((after) =>
      store.operations.list('a', { reasons: ['wrong_pin'] }, { limit: 1, ...(after && { after }) }),
    );
    const found = pages.flatMap(({ items }) => items.map(({ id }) => id));
    expect(found).toEqual(['a4000', 'a8000']);
  });

  it('finds the oldest rows of an index that has few of them, and newer ones of one that has most', async () => {
    const list = (filter: OperationFilter) => store.operations.list('a', filter, { limit: 3 });
    const old = await list({ keyBeginsWith: `order-${ROWS}` });
    expect(old.items.map(({ id }) => id)).toEqual([`a${ROWS}`]);
    expect([old.next, old.lookedTo]).toEqual([null, undefined]);
    const often = await list({ keyBeginsWith: 'order-' });
    expect(often.items.map(({ id }) => id)).toEqual(['a1', 'a2', 'a3']);
    const named = await list({ name: 'last3', keyBeginsWith: 'order-9' });
    expect(named.items.map(({ id }) => id)).toEqual(['a94', 'a906', 'a913']);
  });

  it('with amounts between two has them newest first, whether few have them or most', async () => {
    const list = async (amountFrom: string, amountTo: string) => {
      const { items } = await store.operations.list('a', { amountFrom, amountTo }, { limit: 3 });
      return items.map(({ id }) => id);
    };
    expect(await list('4999', '4999')).toEqual(['a4999', 'a9999']);
    expect(await list('4998.5', '5000')).toEqual(['a4999', 'a9999']);
    expect(await list('2', '4999')).toEqual(['a2', 'a3', 'a4']);
  });

  it('of transactions goes on in the same way', async () => {
    const pages = await pagesOf((after) =>
      store.transactions.list('a', { tillNumber: 'rare' }, { limit: 50, ...(after && { after }) }),
    );
    expect(pages.map(({ items }) => items.length)).toEqual([0, 0, 1]);
    const unmatched = await store.transactions.list('a', { matched: false }, { limit: 50 });
    expect([unmatched.items.length, unmatched.next]).toEqual([2, null]);
  });

  it('that looks for a filter reads no more than it says', async () => {
    const query = listOperations('a', { tillNumber: 'rare' }, 51, undefined);
    // Rows are counted when they are read, when they do not fit, and when the last one is found.
    expect(await rowsRead(query)).toBeLessThanOrEqual(3 * MOST_LOOKED_AT + 100);
  });
});
