import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { PaymentsStore, Total, TotalChange } from '@tillkit/payments/internal/store';
import {
  commitTo,
  newAccount,
  times,
  transactionChange,
} from '../../../../test/contracts/store-under-test.js';
import {
  freshDatabase,
  inSchema,
  letTimePass,
  PATIENT,
  type TestDatabase,
} from '../../../../test/contracts/test-database.js';
import type { Database } from '../postgres-database.js';
import { PostgresStore } from '../postgres.store.js';
import { TotalsRollUp } from './totals-roll-up.js';

const HOUR = 3_600_000;
const EVER = [new Date('2000-01-01'), new Date('2400-01-01')];

describe('Rolling up totals', () => {
  let database: TestDatabase;
  let client: pg.Client;
  let store: PostgresStore;
  let references = 0;

  beforeAll(async () => {
    database = await freshDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    store = new PostgresStore({ connectionString: database.storeUrl, ...PATIENT });
  });

  afterAll(async () => {
    await store.close();
    await client.end();
    await database.drop();
  });

  async function add(account: string, input: Partial<TotalChange> = {}, to: PaymentsStore = store) {
    await addTogether(account, [input], to);
  }

  async function addTogether(
    account: string,
    inputs: readonly Partial<TotalChange>[],
    to: PaymentsStore = store,
  ) {
    const { transaction, ...change } = transactionChange(account, `T${(references += 1)}`, null);
    const totals = inputs.map((input): TotalChange => ({
      measure: 'state',
      kind: 'payment',
      name: 'succeeded',
      till: '',
      currency: 'KES',
      count: 1,
      minor: '100',
      at: new Date('2026-01-20T12:00:00Z'),
      ...input,
    }));
    await commitTo(to, { ...change, transaction: { ...transaction!, totals } });
  }

  const rollUp = async (most = 10_000): Promise<number> => {
    const { rows } = await client.query<{ added: number }>(
      inSchema('select taken as added from :fn.roll_up_totals($1)'),
      [most],
    );
    return rows[0]!.added;
  };
  const waiting = async (): Promise<number> =>
    (await client.query('select from tillkit.total_change')).rowCount ?? 0;
  const read = (account: string) =>
    store.totals.read(account, { measures: ['state'], boundaries: EVER });

  it('does not change the totals that are read', async () => {
    const [account, other] = [newAccount(), newAccount()];
    await add(account);
    await add(account, { name: 'failed' });
    await rollUp();
    await add(account);
    await add(other);
    const before = [await read(account), await read(other)];
    await rollUp();
    expect(await waiting()).toBe(0);
    const after = [await read(account), await read(other)];
    const sorted = (lists: typeof before) =>
      lists.map((list) => list.toSorted((one, two) => one.name.localeCompare(two.name)));
    expect(sorted(after)).toEqual(sorted(before));
    expect(after[0]).toContainEqual(
      expect.objectContaining({ name: 'succeeded', count: 2, minor: '200' }),
    );
  });

  it('leaves aside a change that cannot be added, adds those of all others, and tries it again alone', async () => {
    const [account, poisoned] = [newAccount(), newAccount()];
    await add(account);
    await add(poisoned, { minor: '9'.repeat(200_000) });
    await add(account);
    await add(poisoned, { name: randomBytes(9_000).toString('hex') });
    await add(poisoned);
    // The store itself may add changes at the same time.
    while ((await rollUp()) > 0 || (await waiting()) > 2);
    expect(await read(account)).toMatchObject([{ count: 2 }]);
    expect(await read(poisoned)).toMatchObject([{ count: 1 }]);
    const { rows } = await client.query(
      'select account, refused from tillkit.total_change order by place',
    );
    expect(rows).toEqual([
      { account: poisoned, refused: '22003' },
      { account: poisoned, refused: '54000' },
    ]);
    // The cause of the refusal is gone, as after an upgrade.
    await client.query(
      `update tillkit.total_change set changes = jsonb_set(changes, '{0,6}', '"1"')`,
    );
    await letTimePass(database.url, 61 * 60_000);
    await add(account);
    while ((await rollUp()) > 0 || (await waiting()) > 1);
    expect(await read(poisoned)).toMatchObject([{ count: 2 }]);
    await client.query('delete from tillkit.total_change');
  });

  it('leaves aside only what cannot be added of a commit', async () => {
    const account = newAccount();
    await addTogether(account, [{}, { minor: '9'.repeat(200_000) }, {}]);
    while ((await rollUp()) > 0 || (await waiting()) > 1);
    expect(await read(account)).toMatchObject([{ count: 2, minor: '200' }]);
    await client.query('delete from tillkit.total_change');
  });

  it('says which change it left aside, without what is in it', async () => {
    const lines: unknown[] = [];
    const keep = (line: unknown): number => lines.push(line);
    Logger.overrideLogger({ log: keep, warn: keep, error: keep });
    const refused = JSON.stringify([{ account: 'shop', place: 7, state: '22003' }]);
    const answers = [{ taken: '1', refused }];
    await new TotalsRollUp({ rows: async () => answers } as unknown as Database).now();
    Logger.overrideLogger(false);
    expect(lines).toEqual([
      expect.stringMatching(/account shop cannot be added \(22003\).*row 7 of total_change/),
    ]);
  });

  it('adds at most a given number of changes, the oldest first, and returns how many', async () => {
    const account = newAccount();
    for (const _ of times(5, () => 0)) await add(account);
    expect([await rollUp(3), await waiting(), await rollUp(3), await rollUp(3)]).toEqual([
      3, 2, 2, 0,
    ]);
    expect(await read(account)).toMatchObject([{ count: 5 }]);
  });

  it('adds each change once when many processes do it while others commit', async () => {
    const account = newAccount();
    const others = times(
      3,
      () => new PostgresStore({ connectionString: database.storeUrl, ...PATIENT }),
    );
    const commits = times(60, (index) => add(account, {}, others[index % 3]));
    const seen: number[] = [];
    const rollUps = times(30, async () => {
      const totals = await others[0]!.totals.read(account, {
        measures: ['state'],
        boundaries: EVER,
      });
      seen.push(totals[0]?.count ?? 0);
      await client.query(inSchema('select :fn.roll_up_totals(7)'));
    });
    await Promise.all([...commits, ...rollUps]);
    while ((await rollUp()) > 0);
    // However many changes were added so far, a reader sees no more than was committed.
    expect(Math.max(...seen)).toBeLessThanOrEqual(60);
    expect(await read(account)).toMatchObject([{ count: 60, minor: '6000' }]);
    await Promise.all(others.map((other) => other.close()));
  });

  it('keeps quarters, hours and days that say the same of any span', async () => {
    const account = newAccount();
    const from = Date.parse('2026-01-19T22:00:00Z');
    const moments = times(60, (n) => from + ((n * 7_919) % (80 * 60)) * 60_000);
    for (const at of moments) await add(account, { at: new Date(at), count: 1, minor: '3' });
    while ((await rollUp(7)) > 0);
    for (const [first, hours] of [
      [0, 1],
      [0.25, 71.5],
      [2, 24],
      [3, 48.75],
      [0, 90],
    ] as const) {
      const [start, end] = [from + first * HOUR, from + (first + hours) * HOUR];
      const boundaries = [start, start + HOUR / 2, end].map((at) => new Date(at));
      const within = (one: number, other: number): number =>
        moments.filter((at) => at >= one && at < other).length;
      const counts = [within(start, start + HOUR / 2), within(start + HOUR / 2, end)];
      const found = await store.totals.read(account, { measures: ['state'], boundaries });
      const sum = (span: number): Total | undefined => found.find((total) => total.span === span);
      expect([0, 1].map((span) => sum(span)?.count ?? 0)).toEqual(counts);
      expect([0, 1].map((span) => Number(sum(span)?.minor ?? 0) / 3)).toEqual(counts);
    }
  });

  it('is left to the process that already does it', async () => {
    const account = newAccount();
    let added = 0;
    await client.query('begin');
    // The store also adds changes by itself. Then the test needs another change.
    do {
      await add(account);
      added += 1;
    } while ((await rollUp()) === 0);
    const second = new pg.Client({ connectionString: database.url });
    await second.connect();
    await add(account);
    const { rows } = await second.query(
      inSchema('select taken as added from :fn.roll_up_totals(100)'),
    );
    expect(rows).toEqual([{ added: 0 }]);
    await client.query('rollback');
    await second.end();
    while ((await waiting()) > 0) await rollUp();
    expect(await read(account)).toMatchObject([{ count: added + 1 }]);
  });

  it('happens by itself after a change, also for changes that another process has left', async () => {
    const account = newAccount();
    const left = new PostgresStore({ connectionString: database.storeUrl, ...PATIENT });
    await add(account, {}, left);
    await left.close();
    await read(account);
    while ((await waiting()) > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await read(account)).toMatchObject([{ count: 1 }]);
  });
});
