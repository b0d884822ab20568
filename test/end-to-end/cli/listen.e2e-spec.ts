import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresStore } from '@tillkit/postgres';
import { aDelivery, anEvent, commitEvents } from '../../contracts/store-under-test.js';
import { freshDatabase, PATIENT, type TestDatabase } from '../../contracts/test-database.js';
import { startTillkit, tillkit } from '../../support/command-line.js';
import { until } from '../../support/until.js';

const ACCOUNT = 'shop-1';

// A command has no HTTP adapter.
describe('tillkit listen', () => {
  let database: TestDatabase;
  let store: PostgresStore;
  let environment: Record<string, string>;

  beforeAll(async () => {
    database = await freshDatabase();
    store = new PostgresStore({ ...PATIENT, connectionString: database.url, poolSize: 2 });
    await store.accounts.noteStarts([ACCOUNT, 'shop-2']);
    environment = { PAYMENTS_DATABASE_URL: database.url };
    await store.deliveries.store(aDelivery(ACCOUNT, { id: 'before' }), 60_000);
    await commitEvents(store, ACCOUNT, anEvent(ACCOUNT, 'before'));
  });

  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  const listening = async (...args: string[]) => {
    const started = startTillkit(['listen', '--account', ACCOUNT, ...args], { environment });
    await until(() => started.complained().includes('Listening to account'));
    return started;
  };

  it('prints deliveries and events as JSON lines, each once, from its start on, and ends with 0', async () => {
    const { process: program, ended, printed } = await listening('--json');
    const lines = (): Record<string, unknown>[] =>
      printed()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const stored = await store.deliveries.store(aDelivery(ACCOUNT, { id: 'one' }), 60_000);
    await until(() => lines().length === 1);
    await commitEvents(store, ACCOUNT, anEvent(ACCOUNT, 'stream-1'));
    await commitEvents(store, 'shop-2', anEvent('shop-2', 'stream-2'));
    await until(() => lines().length === 2);
    const claim = { account: ACCOUNT, id: 'one', token: stored.claimed?.token as string };
    await store.deliveries.finish(claim, { kind: 'given_up', error: 'call +254700000001' });
    await until(() => lines().length === 3);
    program.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0 });
    expect(lines()).toEqual([
      expect.objectContaining({ type: 'delivery', id: 'one', state: 'pending' }),
      {
        type: 'event',
        id: expect.any(String),
        name: 'delivery.unrecognised',
        stream: 'stream-1',
        via: 'webhook',
        at: expect.any(String),
      },
      expect.objectContaining({
        type: 'delivery',
        id: 'one',
        state: 'unrecognised',
      }),
    ]);
    expect(printed()).not.toContain('700000001');
  });

  it('prints lines with colours where they are wanted, and none with NO_COLOR', async () => {
    const colored = startTillkit(['listen', '--account', ACCOUNT], {
      environment: { ...environment, FORCE_COLOR: '1' },
    });
    const plain = startTillkit(['listen', '--account', ACCOUNT], {
      environment: { ...environment, FORCE_COLOR: '1', NO_COLOR: '1' },
    });
    await until(() => [colored, plain].every((each) => each.complained().includes('Listening')));
    await commitEvents(store, ACCOUNT, anEvent(ACCOUNT, 'stream-3'));
    await until(() => [colored, plain].every((each) => each.printed().includes('stream-3')));
    colored.process.kill('SIGTERM');
    plain.process.kill('SIGINT');
    const [one, other] = await Promise.all([colored.ended, plain.ended]);
    expect([one.code, other.code]).toEqual([0, 0]);
    expect(one.out).toContain('\u001b[');
    expect(other.out).not.toContain('\u001b');
    expect(other.out).toMatch(
      /^\S+Z {2}event {5}delivery\.unrecognised {2}stream-3 {2}via webhook$/m,
    );
  });

  it('needs an account when the store has several, and a database', async () => {
    expect(await tillkit(['listen'], { environment })).toMatchObject({
      code: 2,
      complaint: 'the store has several accounts: add --account with "shop-1", "shop-2".\n',
    });
    expect(
      await tillkit(['listen'], {
        environment: { PAYMENTS_DATABASE_URL: 'postgres://127.0.0.1:1/x' },
      }),
    ).toMatchObject({ code: 1, complaint: expect.stringContaining('ECONNREFUSED') });
  });
});
