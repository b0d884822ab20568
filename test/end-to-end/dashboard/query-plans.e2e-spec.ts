import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import { PostgresStore } from '@tillkit/postgres';
import type pg from 'pg';
import { freshDatabase, PATIENT, type TestDatabase } from '../../contracts/test-database.js';
import { poolOf } from '../../support/pool.js';
import { DashboardVisitor, linksOf, type Shown } from '../../support/dashboard.visitor.js';
import { Merchant } from '../../support/merchant.js';
import { wordsOfPage } from '../../support/page.form.js';

/** A month of payments: reading a whole table costs far more than reading a page of it. */
const COUNT = 40_000;
const PHONE = '+254700000001';
const HOUR = 3_600_000;

const FILL = `
insert into tillkit.operation (id, account, kind, idempotency_key, tills, request, personal, any_payer, phone_hash, currency,
  amount, amount_minor, in_background, state, platform_id, transaction, reason, send_before, created_at,
  updated_at, sent_about)
select 'p' || n, 'default', 'payment', 'key-' || n, '{514459}', '{"channel": "", "tillNumber": "514459", "order": null}',
  jsonb_build_object('metadata', null, 'subscriber',
    jsonb_build_object('firstName', case when n % 2 = 0 then 'Jane' else 'Mary' end,
      'lastName', case when n in (77, ${COUNT}) or n % 2 = 1 then 'Wanjiru' else 'Doe' end, 'phoneNumber', '${PHONE}')), false,
  sha256((case when n % 300 = 0 then ltrim('${PHONE}', '+') else n::text end)::bytea), 'KES', '100.00', '10000', false,
  case when n % 1000 = 0 then 'needs_review' when n % 5 = 0 then 'failed' else 'succeeded' end, 'platform-' || n,
  case when n % 5 > 0 then jsonb_build_object('reference', 'REF' || n, 'amount', '100.00',
    'currency', 'KES', 'raw', '{}'::jsonb) end,
  case when n % 5 = 0 then 'cancelled' end, now(), now() - n * interval '1 minute', now() - n * interval '1 minute', now() - n * interval '1 minute'
from generate_series(1, ${COUNT}) n;
insert into tillkit.operation_queue (account, id, followed, sent_about, due_at, listed_as)
select account, id, true, sent_about, case state when 'failed' then now() + interval '1 day' else 'infinity' end,
  case state when 'needs_review' then 'in_review' end
from tillkit.operation where state in ('needs_review', 'failed');
insert into tillkit.platform_name (account, name, operation_id, is_transfer)
select account, sha256(convert_to('payment' || chr(10) || platform_id, 'UTF8')), id, false from tillkit.operation;
insert into tillkit.transaction (account, reference_hash, reference, sums, marks, several, untied, originated_at, created_at)
select 'default', sha256((octet_length('REF' || n) || ':REF' || n)::bytea), 'REF' || n, jsonb_build_array(jsonb_build_object(
    'tills', '["514459"]'::jsonb, 'received', '{"amount": "100.0", "currency": "KES", "raw": {}}'::jsonb, 'reversal', null,
    'paymentId', 'p' || n, 'originatedAt', extract(epoch from now() - n * interval '1 minute') * 1000, 'currency', 'KES', 'amountMinor', '10000',
    'payerHash', null)),
  '[{"webhookEventIds": [], "webhookDeliveryIds": [], "announced": true, "reversalAnnounced": false}]',
  false, false, now() - n * interval '1 minute', now()
from generate_series(1, ${COUNT}) n;
insert into tillkit.delivery (account, id, key, kind, verified_by, body, received_at, outcome)
select 'default', 'd' || n, sha256(n::text::bytea), 'webhook', 'signature', 'x', now() - n * interval '1 minute',
  case when n % 1000 = 0 then 'unrecognised' else 'done' end
from generate_series(1, ${COUNT}) n;
insert into tillkit.event (account, id, name, stream, via, payload, called, created_at)
select 'default', 'e' || n, 'payment.succeeded', 'p' || n, 'callback', '{}', '{Orders.paid}', now() - n * interval '1 minute'
from generate_series(1, ${COUNT}) n;
insert into tillkit.queue (lane, account, listener, item, line, due_at, attempts, last_error)
select 'dead default', 'default', 'Broken.paid', 'e' || n, hashtextextended('p' || n, 0), now(), 12, 'no'
from generate_series(1, 3000) n;
analyze`;

const TABLES = 'operation|transaction|delivery|event|queue';

describe('With a month of payments, a page of the dashboard', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let store: PostgresStore;
  let merchant: Merchant;
  let dashboard: DashboardVisitor;
  const plans: string[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    // The pool has one connection, because the settings of auto_explain hold for a session.
    pool = poolOf(database.url, { max: 1 });
    pool.on('connect', (client) => {
      client.on('notice', ({ message = '' }) => plans.push(message));
    });
    await pool.query(FILL);
    await pool.query(`load 'auto_explain'; set auto_explain.log_analyze = on; set auto_explain.log_level = notice;
      set auto_explain.log_min_duration = 0; set auto_explain.log_timing = off`);
    store = new PostgresStore({ ...PATIENT, pool });
    merchant = await Merchant.open({
      // The plans are those of the store: the HTTP adapter plays no part.
      payments: { store, background: false, reconciliation: false },
      imports: [PaymentsDashboardModule.forRoot({ unguarded: 'anyone may see every payment' })],
    });
    dashboard = new DashboardVisitor(`${merchant.url}/payments-dashboard`);
  });

  afterAll(async () => {
    await merchant.close();
    await store.close();
    await pool.end();
    await database.drop();
  });

  /** Returns rows that the server read for a page: those that its scans returned, and those that they filtered out. */
  function rowsRead(): number {
    return plans
      .flatMap((plan) => [
        ...plan.matchAll(/(?:Scan|Seek)[^\n]*\(actual rows=([\d.]+) loops=(\d+)\)/g),
        ...plan.matchAll(/Rows Removed by (?:Filter|Index Recheck): (\d+)/g),
      ])
      .reduce((sum, [, rows, loops = '1']) => sum + Number(rows) * Number(loops), 0);
  }

  const listed = ({ text }: Shown): string[] => [
    ...new Set([...text.matchAll(/payments\/(p\d+)"/g)].map(([, id]) => id!)),
  ];

  const day = (daysAgo: number): string =>
    new Date(Date.now() - daysAgo * 24 * HOUR).toISOString().slice(0, 10);

  async function looked(visit: () => Promise<Shown>): Promise<{ shown: Shown; plan: string }> {
    plans.length = 0;
    const shown = await visit();
    return { shown, plan: plans.join('\n') };
  }

  it.each<[string, string, string]>([
    ['the newest payments', '/payments', 'operation_created'],
    ['payments of a frequent state', '/payments?state=succeeded', 'operation_created'],
    ['payments that need review', '/payments?state=needs_review', 'operation_queue_listed'],
    ['payments of a period', `/payments?from=${day(20)}&to=${day(19)}`, 'operation_created'],
    ['payments of the beginning of an order number', '/payments?key=key-77', 'operation_key'],
    ['the payment of a platform id', '/payments?platformId=platform-77', 'platform_name_pkey'],
    ['payments of a part of a receipt', '/payments?reference=ref77', 'transaction_beginning'],
    ['one payment by its id', '/payments/p77', 'operation_pkey'],
    ['the newest transactions', '/transactions', 'transaction_origin'],
    [
      'transactions of a period',
      `/transactions?from=${day(20)}&to=${day(19)}`,
      'transaction_origin',
    ],
    [
      'transactions of a part of a receipt',
      '/transactions?reference=REF77',
      'transaction_beginning',
    ],
    ['the newest deliveries', '/deliveries', 'delivery_of_account'],
    ['processed deliveries', '/deliveries?state=done', 'delivery_of_account'],
    ['unrecognised deliveries', '/deliveries?state=unrecognised', 'delivery_unrecognised'],
    ['one delivery by its id', '/deliveries/d77', 'delivery_pkey'],
    ['the dead letters', '/dead-letters', 'queue_due'],
  ])(
    'that shows %s (%s) finds them by the index %s, and reads fewer than 1000 rows',
    async (_, path, index) => {
      const { shown, plan } = await looked(() => dashboard.get(path));
      expect(shown.status).toBe(200);
      expect(plan).toContain(index);
      expect(plan).not.toMatch(new RegExp(`Seq Scan on (${TABLES})\\b`));
      expect(rowsRead()).toBeGreaterThan(0);
      expect(rowsRead()).toBeLessThan(1_000);
    },
  );

  it('that shows the payments of a phone number finds them by the index operation_payer', async () => {
    const { shown, plan } = await looked(() => dashboard.post('/find', { words: '0700 000 001' }));
    expect(shown.text).toContain('href="./payments/p300"');
    expect(plan).toContain('operation_payer');
    expect(plan).not.toMatch(new RegExp(`Seq Scan on (${TABLES})\\b`));
    expect(rowsRead()).toBeLessThan(1_000);
  });

  it('that has not searched everything never says that there is nothing, nor that there is only one', async () => {
    // Both names are frequent. Two payments have both, and one of them is among the newest.
    await pool.query(
      `update tillkit.operation set personal = jsonb_set(personal, '{subscriber,firstName}', '"Jane"') where id = 'p77'`,
    );
    const found = await dashboard.post('/find', { words: 'Jane Wanjiru' });
    expect({ status: found.status, listed: listed(found) }).toEqual({
      status: 200,
      listed: ['p77'],
    });
    expect(wordsOfPage(found.text)).toContain('There may be older ones.');
    await pool.query(
      `update tillkit.operation set personal = jsonb_set(personal, '{subscriber,firstName}', '"Mary"') where id = 'p77'`,
    );
    const none = await dashboard.post('/find', { words: 'Jane Wanjiru' });
    expect(none.status).toBe(200);
    expect(wordsOfPage(none.text)).toMatch(/None so far\. Searched back to .* Show all/);
    const list = await dashboard.post('/payments/search', { name: 'Jane Wanjiru' });
    expect(wordsOfPage(list.text)).toContain('None so far.');
  });

  it('that finds many by a part of a receipt leads to all of them', async () => {
    const found = await dashboard.post('/find', { words: 'ref3999' });
    expect(listed(found)).toHaveLength(5);
    const all = linksOf(found.text).find((link) => link.includes('reference=ref3999'));
    const page = await dashboard.get(all!.replace(/^\./, ''));
    expect(listed(page)).toHaveLength(11);
  });

  it('that shows a later page of a list reads no more than the first page', async () => {
    for (const list of ['/payments', '/transactions']) {
      const early = await dashboard.get(`${list}?to=${day(25)}`);
      const next = linksOf(early.text).find((link) => link.includes('after='));
      const after = new URLSearchParams(next!.split('?')[1]).get('after')!;
      const { shown, plan } = await looked(() =>
        dashboard.get(`${list}?${new URLSearchParams({ after }).toString()}`),
      );
      expect(linksOf(shown.text).some((link) => link.includes('after='))).toBe(true);
      expect(plan).not.toMatch(new RegExp(`Seq Scan on (${TABLES})\\b`));
      expect(rowsRead()).toBeLessThan(1_000);
    }
  });

  it('that shows a timeline finds events and listener calls by the index of their stream', async () => {
    const { shown, plan } = await looked(() => dashboard.get('/payments/p77'));
    expect(shown.text).toContain('Orders.paid</bdi> completed');
    expect(shown.text).toContain('Broken.paid</bdi> became a dead letter');
    for (const index of ['event_stream', 'queue_line']) {
      expect(plan).toContain(index);
    }
  });

  it('that shows the totals of a week reads no payments and no deliveries', async () => {
    const { shown, plan } = await looked(() => dashboard.get('/overview?period=7d'));
    expect(shown.status).toBe(200);
    expect(plan).not.toMatch(/Seq Scan on (operation|delivery|event|transaction)\b/);
    // The page reads all dead letters, and for each read the quarters of an hour of this week and of the week before.
    expect(rowsRead()).toBeLessThan(3_000 + 3 * 14 * 96);
  });
});
