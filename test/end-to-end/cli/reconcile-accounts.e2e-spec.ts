import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresStore } from '@tillkit/postgres';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import {
  aSum,
  aTransaction,
  commitTo,
  transactionChange,
} from '../../contracts/store-under-test.js';
import { freshDatabase, PATIENT, type TestDatabase } from '../../contracts/test-database.js';
import { tillkit, type Ran } from '../../support/command-line.js';

const ACCOUNTS = ['shop-1', 'shop-2'] as const;

// A command has no HTTP adapter.
describe('tillkit reconcile, with several accounts,', () => {
  let database: TestDatabase;
  let directory: string;
  let source: string;
  let simulators: Simulator[];
  let store: PostgresStore;

  const from = new Date(Date.now() - 3_600_000).toISOString();
  const to = new Date(Date.now() + 3_600_000).toISOString();

  const reconcile = (...args: string[]): string[] => [
    'reconcile',
    '--url',
    database.url,
    '--from',
    from,
    '--to',
    to,
    ...args,
  ];
  const run = (...args: string[]): Promise<Ran> => tillkit(reconcile(...args));

  const written = async (name: string, text: string): Promise<string> => {
    const file = join(directory, name);
    await writeFile(file, text);
    return file;
  };

  beforeAll(async () => {
    database = await freshDatabase();
    directory = await mkdtemp(join(tmpdir(), 'tillkit-source-'));
    simulators = await Promise.all(
      ACCOUNTS.map((_, seed) => Simulator.start({ timings: INSTANT_TIMINGS, seed })),
    );
    store = new PostgresStore({ ...PATIENT, connectionString: database.url });
    const options: Record<string, object> = {};
    for (const [n, account] of ACCOUNTS.entries()) {
      const { url: baseUrl, clientId, clientSecret, apiKey } = simulators[n] as Simulator;
      options[account] = {
        baseUrl,
        clientId,
        clientSecret,
        apiKeys: [apiKey],
        publicUrl: 'http://127.0.0.1:1',
        tillNumber: n === 0 ? '514459' : '000123',
      };
      await store.accounts.noteStarts([account, 'left-long-ago']);
      const sum = aSum({ received: aTransaction(), originatedAt: new Date() });
      await commitTo(store, transactionChange(account, `HERE${n + 1}`, null, [sum]));
      await simulators[n]!.payTill({
        tillNumber: n === 0 ? '514459' : '000123',
        phoneNumber: '+254700000077',
        amount: 5 + n,
        reference: `THERE${n + 1}`,
        silent: true,
      });
    }
    source = await written(
      'shops.mjs',
      `const options = ${JSON.stringify(options)};
      export default async (account) => options[account] ?? null;`,
    );
  });

  afterAll(async () => {
    await store.close();
    await Promise.all(simulators.map((simulator) => simulator.stop()));
    await rm(directory, { recursive: true });
    await database.drop();
  });

  it('compares every account that the store knows and the source has, each with its own platform', async () => {
    const { code, out, complaint } = await tillkit(reconcile('--source', source, '--json'));
    expect({ code, complaint }).toEqual({ code: 0, complaint: '' });
    const reports = JSON.parse(out) as {
      account: string;
      missingHere: object[];
      missingThere: object[];
    }[];
    expect(reports).toMatchObject(
      ACCOUNTS.map((account, n) => ({
        account,
        matched: [],
        missingHere: [{ reference: `THERE${n + 1}` }],
        missingThere: [{ reference: `HERE${n + 1}` }],
        different: [],
      })),
    );
  });

  it('compares only the accounts that are named, and names each in a table and in CSV', async () => {
    const one = await run('--source', source, '--account', 'shop-2', '--format', 'csv');
    expect(one.out).toContain('"shop-2","missing here","THERE2"');
    expect(one.out).not.toContain('shop-1');
    const both = await run(
      '--source',
      source,
      '--account',
      'shop-2',
      '--account',
      'shop-1',
      '--account',
      'shop-2',
    );
    expect(both.code).toBe(0);
    expect(both.out).toMatch(/shop-2 +missing here +THERE2[^]*shop-1 +missing here +THERE1/);
    expect(both.out.match(/account shop-2, /g)).toHaveLength(1);
    expect(both.out).toContain('account shop-1, ');
  });

  it('prints the reports of the others when an account fails, says why, and exits with 1', async () => {
    const broken = await written(
      'broken.mjs',
      `import shops from './shops.mjs';
      export default async (account) => {
        if (account === 'shop-1') throw new Error('the vault is sealed');
        return shops(account);
      };`,
    );
    const { code, out, complaint } = await run('--source', broken);
    expect(code).toBe(1);
    expect(out).toContain('THERE2');
    expect(complaint).toBe('account "shop-1": the vault is sealed\n');
  });

  it('says which option of an account is wrong, and that a named account has none', async () => {
    const wrong = await written(
      'wrong.mjs',
      `export default (account) => account === 'shop-1' ? { clientId: 'x' } : null;`,
    );
    const { code, complaint } = await run(
      '--source',
      wrong,
      '--account',
      'shop-1',
      '--account',
      'left-long-ago',
    );
    expect(code).toBe(1);
    expect(complaint).toMatch(/account "shop-1": .*clientSecret of account "shop-1"/s);
    expect(complaint).toContain(
      'account "left-long-ago": the --source returned no options for it.',
    );
  });

  it.each<[string, string[], RegExp]>([
    [
      'an unknown account',
      ['--account', 'shop-3'],
      /never seen account "shop-3"; it knows "left-long-ago", "shop-1", "shop-2"/,
    ],
    [
      'no account, when PAYMENTS_* are of none that it knows',
      [],
      /never seen account "default"; it knows .*--account/,
    ],
    [
      'an account without its credentials',
      ['--account', 'shop-1'],
      /credentials of account "shop-1".*add --source <module>/,
    ],
    [
      'a source that is not there',
      ['--source', './no-such-file.mjs'],
      /--source \.\/no-such-file\.mjs cannot be imported/,
    ],
  ])('refuses %s and exits with 2', async (_, args, why) => {
    const { code, out, complaint } = await run(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(complaint).toMatch(why);
  });

  it('refuses a source without a function, with the line to write', async () => {
    const { code, complaint } = await run(
      '--source',
      await written('empty.mjs', 'export default {};'),
    );
    expect(code).toBe(2);
    expect(complaint).toContain('export default async (account) =>');
  });

  it('reserves no till that its source gives to an account, and releases none that the account owns', async () => {
    const claim = (account: string, till: string): Promise<readonly object[]> =>
      store.accounts.claim([{ account, tills: [till], keyHashes: [], listsTills: true }]);
    // The source is older than the settings of the application.
    await claim('new-owner', '514459');
    await claim('shop-2', '000999');
    expect(await run('--source', source)).toMatchObject({ code: 0, complaint: '' });
    expect(await claim('another', '000123')).toEqual([]);
    expect(await claim('another', '000999')).toMatchObject([{ other: 'shop-2' }]);
  });

  it('does not make an account known by asking for it', async () => {
    await run('--source', source, '--account', 'shop-3');
    await run('--source', source);
    const { items } = await store.accounts.list({}, { limit: 10 });
    expect(items).toEqual(['left-long-ago', ...ACCOUNTS]);
  });
});
