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

  const limitOf = async (client: pg.PoolClient): Promise<unknown> =>
    (await client.query<{ lock_timeout: string }>('show lock_timeout')).rows[0]?.lock_timeout;

  it('is the first that commits, and no other one after it', async () => {
    expect(await firstTime(one, event, 'paid')).toBe(true);
    expect(await firstTime(one, event, 'paid')).toBe(false);
    expect(await firstTime(one, event, 'mailed')).toBe(true);
    await one.query('commit');
    expect(await firstTime(other, event, 'paid')).toBe(false);
  });

  it('waits for another transaction that makes it, and is first after that was rolled back', async () => {
    await firstTime(one, event, 'paid');
    const second = firstTime(other, event, 'paid');
    await one.query('rollback');
    expect(await second).toBe(true);
  });

  it('does not wait for ever for another transaction that stays open', async () => {
    await firstTime(one, event, 'paid');
    await expect(firstTime(other, event, 'paid')).rejects.toMatchObject({ code: '55P03' });
  });

  it('waits no longer than the transaction of the host allows', async () => {
    await firstTime(one, event, 'paid');
    await other.query(`set local lock_timeout = '1ms'`);
    await expect(firstTime(other, event, 'paid')).rejects.toMatchObject({ code: '55P03' });
  });

  it.each(['0', '7s'])('leaves the limit of the host for locks as it is: %s', async (own) => {
    await one.query(`set local lock_timeout = '${own}'`);
    for (const isFirst of [true, false]) {
      expect(await firstTime(one, event, 'paid')).toBe(isFirst);
      expect(await limitOf(one)).toBe(own);
    }
  });
});
