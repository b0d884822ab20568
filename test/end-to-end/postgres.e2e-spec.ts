import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import {
  EventsService,
  OnPaymentEvent,
  PaymentsAccount,
  type PaymentsEvents,
} from '@tillkit/payments';
import { firstTime, PostgresStore } from '@tillkit/postgres';
import type pg from 'pg';
import {
  freshDatabase,
  letTimePass,
  PATIENT,
  type TestDatabase,
} from '../contracts/test-database.js';
import { tillkit } from '../support/command-line.js';
import { poolOf } from '../support/pool.js';
import { webhookBody, deliverSigned } from '../support/deliver.js';
import { until } from '../support/until.js';
import { aRequest, aRequestFrom, Merchant } from '../support/merchant.js';

const DAY = 86_400_000;

describe('Payments in PostgreSQL', () => {
  let database: TestDatabase;
  let merchant: Merchant;
  let pool: pg.Pool;
  let store: PostgresStore;

  beforeAll(async () => {
    database = await freshDatabase();
    pool = poolOf(database.url, { max: 4 });
    await pool.query('create table balance (id int primary key, amount int)');
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const open = async (providers: unknown[] = [], payments = {}): Promise<Merchant> => {
    store = new PostgresStore({ ...PATIENT, connectionString: database.url, poolSize: 4 });
    merchant = await Merchant.open({
      providers: providers as never,
      payments: {
        store,
        reconciliation: { sweepEveryMs: 0, intervalMs: 20, requestsPerSecond: 1000 },
        ...payments,
      },
    });
    return merchant;
  };

  afterEach(async () => {
    await merchant.close();
    await store.close();
  });

  it('emit each event once, and are found again after a restart', async () => {
    const { payments, received } = await open();
    const { id } = await payments.request(aRequest());
    await received.next('payment.succeeded', ({ payment }) => payment.id === id);
    await merchant.close();
    await store.close();
    await open();
    expect(await merchant.payments.find(id)).toMatchObject({ id, state: 'succeeded' });
    expect(merchant.received.named('payment.succeeded')).toHaveLength(0);
  });

  it('are sent after the commit of the host, and never after its rollback', async () => {
    const { payments, simulator } = await open();
    const client = await pool.connect();
    await client.query('begin');
    const rolledBack = await payments.record(aRequestFrom('+254700000021'), {
      transaction: client,
    });
    await client.query('rollback');
    await client.query('begin');
    const committed = await payments.record(aRequestFrom('+254700000022'), { transaction: client });
    expect(await payments.find(committed.id)).toBeNull();
    await client.query('commit');
    client.release();
    expect(await payments.settled(committed.id)).toMatchObject({ state: 'succeeded' });
    expect(await payments.find(rolledBack.id)).toBeNull();
    expect(simulator.charges().map(({ phone }) => phone)).toEqual(['+254700000022']);
  });

  it('let a listener make its effect exactly once, although it is called three times', async () => {
    await pool.query('truncate balance; insert into balance values (1, 0)');

    @Injectable()
    class Credit {
      calls = 0;

      @OnPaymentEvent('payment.succeeded')
      async credit(event: PaymentsEvents['payment.succeeded']): Promise<void> {
        this.calls += 1;
        const client = await pool.connect();
        try {
          await client.query('begin');
          if (await firstTime(client, event, 'credit')) {
            await client.query('update balance set amount = amount + 100 where id = 1');
          }
          await client.query('commit');
        } finally {
          client.release();
        }
        if (this.calls < 3) throw new Error('it fails after its commit');
      }
    }
    const { payments, app } = await open([Credit], { listeners: { retryScheduleMs: [5, 5, 5] } });
    const credit = app.get(Credit);
    await payments.request(aRequest());
    while (credit.calls < 3) await new Promise((resolve) => setTimeout(resolve, 10));
    const { rows } = await pool.query<{ amount: number }>('select amount from balance');
    expect(rows).toEqual([{ amount: 100 }]);
    expect(await app.get(EventsService).deadLetters()).toHaveLength(0);
  });

  it('have dead letters that a host lists, however many there are', async () => {
    const { app } = await open();
    await pool.query(`
      insert into tillkit.event (account, id, name, stream, via, payload, created_at)
      select 'default', 'dead ' || n, 'payment.succeeded', n::text, 'callback', '{}', now() from generate_series(1, 1001) n;
      insert into tillkit.queue (lane, account, listener, item, line, due_at, attempts, last_error)
      select 'dead default', account, 'gone', id, hashtextextended(stream, 0), now(), 1, 'no' from tillkit.event where id like 'dead %'`);
    const events = app.get(EventsService);
    const letters = await events.deadLetters(2_000);
    expect(new Set(letters.map(({ id }) => id)).size).toBe(1_001);
    expect(await events.deadLetters(1)).toHaveLength(1);
  });

  it('are compared with the platform by the command reconcile, as a table, CSV or JSON', async () => {
    const { payments, received, simulator, url, webhookUrl } = await open();
    const { id } = await payments.request(aRequest());
    const { transaction } = await received.next(
      'payment.succeeded',
      ({ payment }) => payment.id === id,
    );
    await simulator.payTill({
      tillNumber: '514459',
      phoneNumber: '+254700000077',
      amount: 5,
      reference: 'NOTHERE1',
      silent: true,
    });
    await deliverSigned(webhookUrl, webhookBody({ reference: 'NOTTHERE1' }), simulator.apiKey);
    await received.next(
      'till.transaction.received',
      (event) => event.transaction.reference === 'NOTTHERE1',
    );
    const environment = {
      PAYMENTS_BASE_URL: simulator.url,
      PAYMENTS_CLIENT_ID: simulator.clientId,
      PAYMENTS_CLIENT_SECRET: simulator.clientSecret,
      PAYMENTS_API_KEYS: simulator.apiKey,
      PAYMENTS_PUBLIC_URL: url,
    };
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const to = new Date(Date.now() + 3_600_000).toISOString();
    const complaints: string[] = [];
    const run = async (...args: string[]): Promise<string> => {
      const command = ['reconcile', '--url', database.url, ...args];
      const { code, out, complaint } = await tillkit(command, { environment });
      complaints.push(complaint);
      return `${code}\n${out}`;
    };
    const [report] = JSON.parse(
      (await run('--from', from, '--to', to, '--format', 'json')).slice(2),
    ) as [
      Record<string, unknown> &
        Record<'matched' | 'missingHere' | 'missingThere', { reference: string }[]>,
    ];
    expect(report['account']).toBe('default');
    expect(report.matched.map(({ reference }) => reference)).toContain(transaction.reference);
    expect(report.missingHere).toMatchObject([{ reference: 'NOTHERE1' }]);
    expect(report.missingThere.map(({ reference }) => reference)).toContain('NOTTHERE1');
    expect(await run('--from', from, '--to', to)).toMatch(
      /missing here +NOTHERE1[^]*1 missing here/,
    );
    expect(await run('--from', from, '--to', to, '--format', 'csv')).toContain(
      '"default","missing here","NOTHERE1","514459","","5.0","KES",',
    );
    expect(await run('--from', 'yesterday')).toMatch(/^2\n/);
    expect(await run('--from', to, '--to', from)).toMatch(/^2\n/);
    expect(await run('--from', from, '--format', 'xml')).toMatch(/^2\n/);
    expect(complaints.join()).toMatch(
      /--from must be an ISO 8601[^]*--from must be before --to[^]*--format <format>.*'xml' is invalid/,
    );
    expect(merchant.received.named('polling.completed')).toHaveLength(0);
  });

  it('emit one event for each customer, settlement and card transaction, also after retention has redacted them', async () => {
    const { received, simulator, webhookUrl } = await open();
    const CARD = '4111111111111111';
    const webhook = (topic: string, resource: object, link: string): string =>
      webhookBody(
        {},
        {
          topic,
          event: { type: 'Any', resource },
          _links: { resource: `https://platform.invalid/${link}` },
        },
      );
    const money = { amount: '10.0', currency: 'KES' };
    const jane = { first_name: 'Wambui', phone_number: '+254700000091' };
    const post = async (): Promise<void> => {
      for (const body of [
        webhook('customer_created', jane, 'mobile_money_user/c-1'),
        webhook(
          'settlement_transfer_completed',
          {
            ...money,
            status: 'Transferred',
            destination: { type: 'Mobile Wallet', resource: jane },
          },
          'transfer_batch/s-1',
        ),
        webhook(
          'card_transaction_received',
          {
            ...money,
            status: 'Received',
            reference: 'CARD9',
            till_number: '514459',
            customer_cc_number: CARD,
            settled: true,
          },
          'financial_transaction/t-1',
        ),
      ])
        await deliverSigned(webhookUrl, body, simulator.apiKey);
    };
    await post();
    await post();
    await received.next('customer.created', ({ customer }) => customer.id === 'c-1');
    await received.next('settlement.completed', ({ settlement }) => settlement.id === 's-1');
    const { transaction } = await received.next(
      'till.transaction.received',
      (event) => event.transaction.reference === 'CARD9',
    );
    expect(transaction).toMatchObject({ kind: 'card', cardNumber: '1111', settled: true });
    const found = async () =>
      (await store.transactions.find('default', 'CARD9'))?.sums[0]?.received;
    expect(await found()).toMatchObject({
      kind: 'card',
      cardNumber: '1111',
      settled: true,
      raw: { customer_cc_number: '1111' },
    });
    await letTimePass(database.url, 100 * DAY);
    const policy = { personalDataMs: 90 * DAY, dedupeForMs: 5 * 365 * DAY, limit: 100 };
    const kept = async (): Promise<string> => {
      await store.retention.apply('default', policy);
      const { rows } = await pool.query<{ payload: string | null }>(
        `select payload::text from tillkit.event where payload is not null`,
      );
      return JSON.stringify(rows);
    };
    await until(async () => !(await kept()).includes('Wambui'));
    expect(await found()).toMatchObject({ kind: 'card', cardNumber: null, raw: {} });
    await post();
    await deliverSigned(webhookUrl, webhookBody({ reference: 'LAST9' }), simulator.apiKey);
    await received.next(
      'till.transaction.received',
      (event) => event.transaction.reference === 'LAST9',
    );
    expect(received.named('customer.created')).toHaveLength(1);
    expect(received.named('settlement.completed')).toHaveLength(1);
    expect(await kept()).not.toMatch(/Wambui|41111111/);
  });

  it('emit no second event and cause no second prompt after retention has redacted them', async () => {
    const { payments, received, simulator, app, webhookUrl } = await open();
    const request = aRequest();
    const { id } = await payments.request(request);
    await received.next('payment.succeeded', ({ payment }) => payment.id === id);
    const body = webhookBody({ reference: 'REDACTED1', sender_phone_number: '+254700000078' });
    await deliverSigned(webhookUrl, body, simulator.apiKey);
    await received.next(
      'till.transaction.received',
      (event) => event.transaction.reference === 'REDACTED1',
    );
    await simulator.idle();
    const kept = app.get(PaymentsAccount, { strict: false }).store as PostgresStore;
    await letTimePass(database.url, 100 * DAY);
    for (let redacted = 1; redacted > 0;) {
      redacted = (
        await store.retention.apply('default', {
          personalDataMs: 90 * DAY,
          dedupeForMs: 5 * 365 * DAY,
          limit: 100,
        })
      ).redacted;
    }
    expect((await payments.find(id))?.subscriber.phoneNumber).toBe('');
    expect(kept).toBeDefined();

    const emitted = received.events.length;
    const charged = simulator.charges().length;
    for (const { id: deliveryId } of simulator.deliveries.list())
      await simulator.deliveries.resend(deliveryId);
    await deliverSigned(webhookUrl, body, simulator.apiKey);
    expect(await payments.request(request)).toMatchObject({ id, state: 'succeeded' });
    await deliverSigned(
      webhookUrl,
      webhookBody({ reference: 'LAST1', sender_phone_number: '+254700000079' }),
      simulator.apiKey,
    );
    await received.next(
      'till.transaction.received',
      (event) => event.transaction.reference === 'LAST1',
    );
    expect(received.events.length).toBe(emitted + 1);
    expect(simulator.charges()).toHaveLength(charged);
  });
});
