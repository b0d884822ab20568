import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresStore } from '@tillkit/postgres';
import { freshDatabase, PATIENT, type TestDatabase } from '../../contracts/test-database.js';
import { tillkit, tillkitProcess, type Ran } from '../../support/command-line.js';

const AT = '2026-11-01T10:20:00Z';
const PHONE = '+254700000041';

describe('tillkit', () => {
  let database: TestDatabase;
  let store: PostgresStore;

  beforeAll(async () => {
    database = await freshDatabase();
    store = new PostgresStore({ ...PATIENT, connectionString: database.url, poolSize: 2 });
    await store.init();
    await store.accounts.noteStarts(['default']);
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  const run = (args: readonly string[], url = database.url): Promise<Ran> =>
    tillkit(args, { environment: { PAYMENTS_DATABASE_URL: url } });
  const errorOf = ({ complaint }: Ran): { code: string; message: string } =>
    (JSON.parse(complaint) as { error: { code: string; message: string } }).error;

  it.each([
    [
      'a day that does not exist in --at',
      ['restored', '--by', 'j', '--at', '2026-02-30T00:00:00Z'],
      /^--at .* exists/,
    ],
    [
      'an ambiguous day in --at',
      ['restored', '--by', 'j', '--at', '11-05-2026'],
      /^--at .* time zone, not "11-05/,
    ],
    [
      'a day that does not exist in --from',
      ['reconcile', '--from', '2026-06-31T00:00:00+03:00'],
      /^--from .* exists/,
    ],
    [
      'a day without a time zone in --from',
      ['reconcile', '--from', '2026-06-30'],
      /^--from .* time zone/,
    ],
    [
      'an hour that does not exist in --to',
      ['reconcile', '--from', AT, '--to', '2026-11-01T24:30:00Z'],
      /^--to .* exists/,
    ],
  ])('refuses %s', async (_, args, why) => {
    const ran = await run([...args, '--json']);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(errorOf(ran)).toEqual({ code: 'USAGE', message: expect.stringMatching(why) });
    expect(await store.pauses.all()).toEqual([]);
  });

  it.each([
    ['--account', ['pause', '--account', 'one', '--account', 'two']],
    ['--by', ['resume', '--all', '--by', 'k']],
    ['--url', ['resume', '--all', '--url', 'postgres://x', '--url', 'postgres://y']],
  ])('refuses %s when it is given twice', async (option, args) => {
    const ran = await run([...args, '--by', 'j', '--note', 'n', '--json']);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(errorOf(ran).message).toContain(`${option} is given twice`);
  });

  it.each([
    ['an account beside --all', ['pause', 'default', '--all', '--by', 'j', '--note', 'n']],
    ['a second customer to redact', ['redact', PHONE, '+254700000051', '--by', 'j', '--note', 'n']],
    ['a second customer to export', ['export', PHONE, '+254700000051']],
    ['an account after accounts list', ['accounts', 'list', 'default']],
    [
      'words after the time of a restore',
      ['restored', '--at', AT, '--by', 'j', '5', 'minutes', 'earlier'],
    ],
  ])('refuses %s, which the command does not read', async (_, args) => {
    const ran = await run([...args, '--json']);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(errorOf(ran).message).toMatch(/too many arguments/);
    expect(await store.pauses.all()).toEqual([]);
  });

  it.each([
    ['restored', '--at', AT],
    ['pause', '--all', '--note', 'n'],
    ['resume', '--all', '--note', 'n'],
    ['redact', PHONE, '--note', 'n'],
    ['payments', 'resolve', 'id', '--state', 'failed', '--note', 'n'],
  ])('%s requires the name of the person who does it', async (...args) => {
    for (const nobody of ['', '   ']) {
      const ran = await run([...args, '--by', nobody, '--json']);
      expect(ran).toMatchObject({ code: 2, out: '' });
      expect(errorOf(ran)).toEqual({
        code: 'USAGE',
        message: expect.stringMatching(/^--by is empty: write who .*history\.$/),
      });
    }
    expect(await store.pauses.all()).toEqual([]);
  });

  it('requires the reason of a pause', async () => {
    const ran = await run(['pause', '--all', '--by', 'jane', '--note', ' ']);
    expect(ran).toMatchObject({ code: 2, complaint: expect.stringMatching(/^--note .*is empty/) });
    expect(await store.pauses.all()).toEqual([]);
  });

  it.each([
    ['of a payment to show', 'payments', 'show', PHONE],
    ['of a payment to show, with blanks', 'payments', 'show', '0700 000 041'],
    ['of a delivery to show', 'deliveries', 'show', PHONE],
    ['of a delivery to process again', 'deliveries', 'replay', PHONE],
    ['of a dead letter', 'dead-letters', 'replay', '254700000041'],
    ['of the account of a payment', 'payments', 'show', 'x', '--account', PHONE],
    ['of an account to pause', 'pause', '--account', PHONE, '--by', 'j', '--note', 'n'],
    ['of a limit', 'deliveries', 'list', '--limit', PHONE],
    ['of a command', PHONE],
    ['of a command of deliveries', 'deliveries', PHONE],
    ['of a file to sign', 'sign', PHONE],
    ['of a file of settings', 'payments', 'show', 'x', '--env-file', PHONE],
  ])('repeats no phone number in the place %s, neither as text nor as JSON', async (_, ...args) => {
    for (const more of [[], ['--json'], ['--show-phones']]) {
      const { code, out, complaint } = await run([...args, ...more]);
      expect(code).not.toBe(0);
      expect(complaint).toMatch(/\S/);
      expect((out + complaint).replaceAll(/\s/g, '')).not.toContain('700000041');
    }
  });

  it.each([
    ['postgres://tillkit:hunter2@host:99999x/db', /it is no URL/],
    ['postgres://tillkit:hunter2#x@host/db', /it is no URL.*%23 for #/],
    ['mysql://tillkit:hunter2@host/db', /it does not begin with postgres:\/\//],
    ['host=localhost password=hunter2', /it does not begin with postgres:\/\//],
    [
      'postgres://tillkit:hunter2@host/db?sslrootcert=/no/such/root.pem',
      /its file \/no\/such\/root\.pem cannot be read \(ENOENT\)/,
    ],
    ['postgres://tillkit:hunter2@host/db?port=x', /its port, or PGPORT, is no number/],
  ])('names the setting when the URL of the database is %s', async (url, why) => {
    for (const args of [
      ['accounts', 'list'],
      ['migrate'],
      ['pause', '--all', '--by', 'j', '--note', 'n'],
    ]) {
      const ran = await run([...args, '--json'], url);
      expect(ran).toMatchObject({ code: 2, out: '' });
      expect(errorOf(ran)).toEqual({ code: 'USAGE', message: expect.stringMatching(why) });
      expect(errorOf(ran).message).toMatch(/^PAYMENTS_DATABASE_URL, .*: .*\. Write postgres:\/\//);
      expect(ran.complaint).not.toContain('hunter2');
    }
    const { code, out } = await run(['doctor', '--timeout', '3'], url);
    expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(why) });
    expect(out).not.toContain('hunter2');
  });

  it('says which part of the URL the server refuses', async () => {
    const refused = async (change: (url: URL) => void): Promise<Ran> => {
      const url = new URL(database.url);
      change(url);
      return run(['accounts', 'list'], url.href);
    };
    expect(await refused((url) => (url.pathname = '/no_such_database'))).toMatchObject({
      code: 2,
      complaint: expect.stringMatching(
        /database "no_such_database" does not exist.*\. Correct the name of the database in PAYMENTS_DATABASE_URL/,
      ),
    });
    const nobody = await refused((url) => {
      url.username = 'nobody';
      url.password = 'hunter2';
    });
    expect(nobody).toMatchObject({
      code: 2,
      complaint: expect.stringMatching(
        /Correct (the user|user and password) in PAYMENTS_DATABASE_URL/,
      ),
    });
    expect(nobody.complaint).not.toContain('hunter2');
    const away = await refused((url) => (url.port = '1'));
    expect(away).toMatchObject({
      code: 1,
      complaint: expect.stringMatching(/ECONNREFUSED.*\. Start PostgreSQL, or correct host/),
    });
  });

  it('says that the server wants a password when the URL has none', async () => {
    const url = new URL(database.url);
    url.password = '';
    expect(await run(['accounts', 'list'], url.href)).toMatchObject({
      code: 2,
      out: '',
      complaint: expect.stringMatching(
        /The server wants a password: write user and password in PAYMENTS_DATABASE_URL/,
      ),
    });
  });

  it('says that the server has no TLS when the URL requires it', async () => {
    const url = new URL(database.url);
    url.searchParams.set('sslmode', 'verify-full');
    expect(await run(['accounts', 'list'], url.href)).toMatchObject({
      code: 2,
      out: '',
      complaint: expect.stringMatching(
        /does not support SSL.*\. Let the server accept TLS, or.*sslmode=disable in PAYMENTS_DATABASE_URL/,
      ),
    });
  });

  it.each([
    [
      '--uri',
      ['accounts', 'list', '--uri=postgres://jane:hunter2@host/db?a=b'],
      "unknown option '--uri'\n",
    ],
    ['--kye', ['sign', '--kye=hunter2', 'x'], "unknown option '--kye'\n"],
    [
      '--kye, whose value has two lines,',
      ['sign', "--kye=hunter2'\nhunter2", 'x'],
      "unknown option '--kye'\n",
    ],
    ['--kee', ['sign', '--kee', 'hunter2'], "unknown option '--kee'\n(Did you mean --key?)\n"],
    [
      '--limt',
      ['deliveries', 'list', '--limt=5'],
      "unknown option '--limt'\n(Did you mean --limit?)\n",
    ],
  ])('names the option %s that it does not know, and not its value', async (_, args, complaint) => {
    expect(await run(args)).toEqual({ code: 2, out: '', complaint });
    const ran = await run([...args, '--json']);
    expect(errorOf(ran)).toEqual({ code: 'USAGE', message: complaint.trimEnd() });
  });

  it.each([
    ['an argument too many', 'accounts', 'list', '--', 'postgres://jane:hunter2@host/db'],
    ['a command that there is not', 'postgres://jane:hunter2@host/db'],
    ['a command with a quote', "postgres://jane:hunter2'@host/db"],
    ['a key that is given twice', 'sign', '--key', 'hunter2', '--key', 'hunter2', 'x', 'y'],
    ['a schema', 'accounts', 'list', '--schema', 'hunter2;'],
    ['the URL of no database', 'accounts', 'list', '--url', 'http://jane:hunter2@host/db'],
    [
      'the URL of a database that doctor cannot reach',
      'doctor',
      '--url',
      'postgres://jane:hunter2@localhost:1/db',
    ],
    ['the URL of no database for doctor', 'doctor', '--url', 'http://jane:hunter2@localhost:1/db'],
    [
      'the URL of a database that migrate cannot reach',
      'migrate',
      '--url',
      'postgres://jane:hunter2@localhost:1/db',
    ],
  ])('repeats no secret in %s', async (_, ...args) => {
    const { code, out, complaint } = await tillkit(args, { environment: {} });
    expect(code).not.toBe(0);
    expect(out + complaint).not.toContain('hunter2');
  });

  it('says that a customer has no such number, or that there is no such account, with exit code 2', async () => {
    expect(await run(['redact', 'jane', '--by', 'j', '--note', 'n'])).toMatchObject({
      code: 2,
      complaint: expect.stringMatching(/phoneNumber is no phone number: write/),
    });
    expect(await run(['pause', '--account', 'nope', '--by', 'j', '--note', 'n'])).toMatchObject({
      code: 2,
      complaint: expect.stringMatching(/never seen account "nope"; it knows "default"/),
    });
  });

  it('prints a fault with its stack and without phone numbers, on one line of JSON', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tillkit-cli-'));
    const source = join(folder, 'shops.mjs');
    await writeFile(
      source,
      `export default () => { throw new TypeError('no shop of ${PHONE}'); };`,
    );
    const args = ['payments', 'check', 'x', '--source', source, '--yes'];
    const environment = { PAYMENTS_DATABASE_URL: database.url };
    const ran = await tillkitProcess([...args, '--json'], { environment });
    expect(ran).toMatchObject({ code: 1, out: '', complaint: expect.stringMatching(/^.*\n$/) });
    expect(errorOf(ran)).toEqual({
      code: 'FAILED',
      message: expect.stringMatching(/^TypeError: no shop of .*\n +at .*shops\.mjs/s),
    });
    expect(ran.complaint).not.toContain('700000041');
    await rm(folder, { recursive: true });
  });
});
