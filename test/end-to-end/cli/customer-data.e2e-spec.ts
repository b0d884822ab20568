import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { letTimePass, type TestDatabase } from '../../contracts/test-database.js';
import type { Ran } from '../../support/command-line.js';
import { aPayout, aRequestFrom, aWallet, type Merchant } from '../../support/merchant.js';
import { poolOf } from '../../support/pool.js';
import { StoredMerchant } from '../../support/stored.merchant.js';
import { until } from '../../support/until.js';

const MINUTE = 60_000;
const PAYER = '+254700000001';
const JANE = '+254700000051';
const JOHN = '+254700000061';

describe('tillkit, for a customer who is not alone in what is stored,', () => {
  let opened: StoredMerchant;
  let database: TestDatabase;
  let merchant: Merchant;

  beforeAll(async () => {
    const reconciliation = { scheduleMs: [20], intervalMs: 20, requestsPerSecond: 1000 };
    opened = await StoredMerchant.open({ payments: { reconciliation } });
    ({ database, merchant } = opened);
  });
  afterAll(() => opened.close());

  const run = (...args: string[]): Promise<Ran> => opened.run(...args);
  /** Repeats the redaction: a delivery that has just come waits to be processed, and is left until then. */
  const untilNothingIsLeft = (phone: string): Promise<void> =>
    until(async () => {
      const { code, out } = await run('redact', phone, '--by', 'j', '--note', 'asked', '--json');
      expect(code).toBe(0);
      return (JSON.parse(out) as { left: unknown[] }).left.length === 0;
    });
  const paid = async (phone: string, value = '100.00'): Promise<string> => {
    const amount = { currency: 'KES', value };
    const { id } = await merchant.payments.request(aRequestFrom(phone, { amount }));
    await merchant.received.next('payment.succeeded', ({ payment }) => payment.id === id);
    return id;
  };
  /** Returns all columns of all rows that have a text. */
  const placesOf = async (text: string): Promise<string[]> => {
    const pool = poolOf(database.url, { max: 1 });
    const { rows } = await pool.query<{ table: string; column: string; isBytes: boolean }>(
      `select table_name as table, column_name as column, data_type = 'bytea' as "isBytes"
       from information_schema.columns where table_schema = 'tillkit'`,
    );
    const places: string[] = [];
    for (const { table, column, isBytes } of rows) {
      const shown = isBytes ? `encode("${column}", 'escape')` : `"${column}"::text`;
      const found = await pool.query(
        `select from tillkit."${table}" where strpos(${shown}, $1) > 0`,
        [text],
      );
      if (found.rowCount) places.push(`${table}.${column}`);
    }
    await pool.end();
    return places;
  };

  it('exports and redacts of a payout to several only what is about the customer', async () => {
    await paid(PAYER, '5000.00');
    const { id } = await merchant.payouts.request(
      aPayout({
        destinations: [
          { ...aWallet(JANE, '10.00'), description: 'Wages of Aphrodite' },
          // The test searches rows for amounts. No time looks like this one, or like the sum.
          { ...aWallet(JOHN, '4321.00'), description: 'Wages of Waldemar' },
        ],
      }),
    );
    expect((await merchant.payouts.settled(id)).state).toBe('succeeded');
    await merchant.simulator.idle();
    const { code, out } = await run('export', JANE);
    expect(code).toBe(0);
    const rows = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; data: { parts: unknown[] } });
    expect(rows).toContainEqual(
      expect.objectContaining({
        kind: 'operation',
        id,
        data: expect.objectContaining({
          kind: 'payout',
          state: 'succeeded',
          parts: [expect.objectContaining({ phoneNumber: JANE, amount: '10.00' })],
        }),
      }),
    );
    expect(rows.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['delivery', 'event']));
    for (const { data } of rows) expect(data.parts.length).toBeGreaterThan(0);
    expect(out).toContain('Aphrodite');
    for (const others of [JOHN.slice(1), 'Waldemar', '4321.0', '4331.0'])
      expect(out).not.toContain(others);

    await letTimePass(database.url, 12 * MINUTE);
    await untilNothingIsLeft(JANE);
    expect(await placesOf(JANE.slice(1))).toEqual([]);
    expect(await placesOf('Aphrodite')).toEqual([]);
    expect((await run('export', JANE)).out).toBe('');
    expect((await merchant.payouts.find(id))?.destinations).toMatchObject([
      { amount: '10.00', state: 'paid', recipient: null },
      { amount: '4321.00', state: 'paid', recipient: { phoneNumber: JOHN } },
    ]);
    const others = await placesOf('Waldemar');
    expect(others).toEqual(
      expect.arrayContaining(['operation.personal', 'event.payload', 'delivery.body']),
    );
    const johns = await run('export', JOHN);
    expect(johns.out.split('\n')).toHaveLength(rows.length + 1);
    await untilNothingIsLeft(JOHN);
    expect(await placesOf(JOHN.slice(1))).toEqual([]);
    expect(await placesOf('Waldemar')).toEqual([]);
  });

  it('follows the money of the customer to its refund', async () => {
    const paymentId = await paid('+254700000071');
    const request = {
      idempotencyKey: 'refund-of-aphrodite',
      paymentId,
      why: 'Aphrodite changed her mind',
    };
    const { id } = await merchant.refunds.request(request);
    await merchant.refunds.settled(id);
    await merchant.received.next('payment.reversed', ({ payment }) => payment.id === paymentId);
    await merchant.simulator.idle();
    const { out } = await run('export', '+254700000071');
    expect(out).toContain('Aphrodite changed her mind');
    expect(await placesOf('Aphrodite')).toEqual(expect.arrayContaining(['operation.personal']));
    await untilNothingIsLeft('+254700000071');
    expect(await placesOf('Aphrodite')).toEqual([]);
    expect((await merchant.refunds.find(id))?.why).toBe('');
    // The same key never refunds twice, also without its text.
    expect((await merchant.refunds.request(request)).id).toBe(id);
  });
});
