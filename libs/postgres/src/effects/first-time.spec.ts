import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { newAccount } from '../../../../test/contracts/store-under-test.js';
import { freshDatabase, type TestDatabase } from '../../../../test/contracts/test-database.js';
import { poolOf } from '../../../../test/support/pool.js';
import { firstTime } from './first-time.js';

describe('The first time of an effect', () => {
  const event = { eventId: 'e1', account: newAccount() };
  let database: TestDatabase;
  let pool: pg.Pool;
  let one: pg.PoolClient;
  let other: pg.PoolClient;

  beforeEach(async () => {
    database = await freshDatabase();
    pool = poolOf(database.url);
    [one, other] = await Promise.all([pool.connect(), pool.connect()]);
    await one.query('begin');
    await other.query('begin');
  });
  afterEach(async () => {
    for (const client of [one, other]) {
      await client.query('rollback');
      client.release();
    }
    await pool.end();
    await database.drop();
  });

  it('is the first that commits, and no other one after it', async () => {
    expect(await firstTime(one, event, 'paid')).toBe(true);
    expect(await firstTime(one, event, 'paid')).toBe(false);
    expect(await firstTime(one, event, 'mailed')).toBe(true);
    await one.query('commit');
    expect(await firstTime(other, event, 'paid')).toBe(false);
  });

  it('is an error that the listener repeats while another transaction makes it, and its own transaction goes on', async () => {
    await firstTime(one, event, 'paid');
    await expect(firstTime(other, event, 'paid')).rejects.toMatchObject({
      code: 'PAYMENTS_STORE_UNAVAILABLE',
      message: expect.stringContaining('another open transaction makes the effect "paid"'),
    });
    await one.query('rollback');
    expect(await firstTime(other, event, 'paid')).toBe(true);
  });

  it('is refused outside a transaction, where its record would stay after a rollback', async () => {
    await one.query('commit');
    await expect(firstTime(one, event, 'paid')).rejects.toThrow(/is in no open transaction/);
    expect(await firstTime(other, event, 'paid')).toBe(true);
  });
});
