import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { MemoryStore, PaymentsAccounts, PaymentsModule } from '@tillkit/payments';
import { PostgresStore } from '@tillkit/postgres';
import { runCommand } from '../../libs/postgres/src/commands/run-command.js';
import { freshDatabase, PATIENT, type TestDatabase } from '../contracts/test-database.js';
import { Merchant } from '../support/merchant.js';
import { EXPRESS } from '../support/platforms.js';

let database: TestDatabase;
let store: PostgresStore;
let merchant: Merchant;
beforeEach(async () => {
  database = await freshDatabase();
  store = new PostgresStore({ ...PATIENT, connectionString: database.url, poolSize: 4 });
  merchant = await Merchant.open({
    platform: EXPRESS,
    payments: { store, reconciliation: false },
    imports: [PaymentsModule.forAccounts({ reconciliation: { sweepEveryMs: 0 } })],
  });
}, 60_000);
afterEach(async () => {
  await merchant.close();
  await store.close();
  await database.drop();
});

it('REVIEW the reconcile command claims no till, so that it keeps no account of the application from being opened', async () => {
  expect(MemoryStore).toBeDefined();
  await store.accounts.noteStarts(['shop']);
  const { url: baseUrl, clientId, clientSecret } = merchant.simulator;
  const options = {
    baseUrl,
    clientId,
    clientSecret,
    publicUrl: merchant.url,
    apiKeys: ['key-1'],
    tillNumber: '000101',
  };
  const folder = await mkdtemp(join(tmpdir(), 'review2-'));
  const source = join(folder, 'source.mjs');
  await writeFile(
    source,
    `export default async (account) => account === 'shop' ? ${JSON.stringify(options)} : null;`,
  );
  const output: string[] = [];
  await runCommand(
    [
      'reconcile',
      '--url',
      database.url,
      '--source',
      source,
      '--from',
      '2026-01-01T00:00:00Z',
      '--to',
      '2026-01-01T01:00:00Z',
    ],
    { write: (text: string) => output.push(text), environment: {} } as never,
    (text) => output.push(text),
  ).catch((error: unknown) => output.push(String(error)));
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query(
    `select account, kind, value from tillkit.account_claim where account = 'shop' and kind = 'till'`,
  );
  await client.end();
  // The till is another merchant's now: the file that the command read is old.
  const opened = await merchant.app
    .get(PaymentsAccounts)
    .add('new-owner', { ...options, apiKeys: ['key-2'] })
    .then(
      () => 'opened',
      (error: unknown) => String(error),
    );
  expect({ rows, opened, output: output.join('').slice(0, 300) }).toMatchObject({
    rows: [],
    opened: 'opened',
  });
}, 60_000);
