import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import pg from 'pg';
import { MemoryStore, signDelivery } from '@tillkit/payments';
import { PostgresStore } from '@tillkit/postgres';
import { CERTIFICATE } from '../../../libs/simulator/src/testing/certificate.fixture.js';
import {
  anEvent,
  aPayment,
  changed,
  commitEvents,
  recorded,
} from '../../contracts/store-under-test.js';
import {
  emptyDatabase,
  freshDatabase,
  letTimePass,
  PATIENT,
  type TestDatabase,
} from '../../contracts/test-database.js';
import { listeningAt } from '../../support/application.js';
import { tillkit, tillkitProcess } from '../../support/command-line.js';
import { Merchant } from '../../support/merchant.js';
import { freePort } from '../../support/free.port.js';
import { PLATFORMS } from '../../support/platforms.js';

interface Checked {
  check: string;
  verdict: string;
  found: string;
  cure: string | null;
}

const SECRETS = /simulator-client-secret|wrong-secret|very-secret|simulator-api-key/;

describe('tillkit doctor', () => {
  let database: TestDatabase;
  let folder: string;
  let merchant: Merchant;
  let environment: Record<string, string>;
  const servers: Server[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    folder = await mkdtemp(join(tmpdir(), 'tillkit-cli-'));
    merchant = await Merchant.open({ payments: { store: new MemoryStore() } });
    const { simulator } = merchant;
    environment = {
      PAYMENTS_BASE_URL: simulator.url,
      PAYMENTS_CLIENT_ID: simulator.clientId,
      PAYMENTS_CLIENT_SECRET: simulator.clientSecret,
      PAYMENTS_API_KEYS: `first-key,${simulator.apiKey}`,
      PAYMENTS_PUBLIC_URL: merchant.url,
      PAYMENTS_DATABASE_URL: database.url,
    };
  });

  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  afterAll(async () => {
    await merchant.close();
    await rm(folder, { recursive: true });
    await database.drop();
  });

  /** Runs the checks, and resolves with their results by name. */
  const examine = async (
    changes: Record<string, string | undefined>,
    ...args: string[]
  ): Promise<{ code: number | null; checks: Record<string, Checked> }> => {
    const all = Object.entries({ ...environment, ...changes }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const ran = await tillkit(['doctor', '--json', ...args], {
      environment: Object.fromEntries(all),
    });
    expect(ran.complaint).toBe('');
    expect(ran.out).not.toMatch(SECRETS);
    const { checks } = JSON.parse(ran.out) as { checks: Checked[] };
    return { code: ran.code, checks: Object.fromEntries(checks.map((each) => [each.check, each])) };
  };

  const serve = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  const captured = async (name: string, text: string): Promise<string> => {
    const file = join(folder, name);
    await writeFile(file, text);
    return file;
  };

  it('finds nothing wrong with a good installation, as a process', async () => {
    const body = '{"topic":"customer_created"}';
    const signature = signDelivery(body, merchant.simulator.apiKey);
    const file = await captured('good.http', `X-KopoKopo-Signature: ${signature}\n\n${body}\n`);
    const { code, out, complaint } = await tillkitProcess(['doctor', '--delivery', file], {
      environment,
    });
    expect({ code, complaint }).toEqual({ code: 0, complaint: '' });
    for (const line of [
      /^ok +settings +all settings of account "default" can be used$/m,
      /^ok +token +the platform gave an access token/m,
      /^ok +clock +our clock /m,
      /^ok +public URL +our routes answer at http:.*\/payments\/webhooks$/m,
      /^skipped +certificate +PAYMENTS_PUBLIC_URL is http: on this machine$/m,
      /^ok +captured delivery +key 2 of PAYMENTS_API_KEYS made its signature$/m,
      /^ok +database +PostgreSQL \d+\S* answers$/m,
      /^ok +migrations +schema "tillkit" is up to date$/m,
      /^ok +sequences +no sequence is behind its rows$/m,
      // The application of this test has the store of the test. The doctor has the database of the environment.
      /^warning +application +no application has used this database yet/m,
      /^ok +listeners +no listener waits/m,
      /^ok +sending +nothing is paused$/m,
      /^ok +reviews +nothing waits for a decision; 0 requests of the last 24 hours passed another one$/m,
    ])
      expect(out).toMatch(line);
    expect(out).not.toMatch(SECRETS);
  });

  it.each<[string, Record<string, string | undefined>, string, string, RegExp]>([
    [
      'the published key of the simulator',
      { PAYMENTS_API_KEYS: 'simulator-api-key' },
      'settings',
      'failed',
      /^PAYMENTS_API_KEYS is published/,
    ],
    ['a short key', { PAYMENTS_API_KEYS: 'k' }, 'settings', 'failed', /^PAYMENTS_API_KEYS has a/],
    ['a public URL of this machine', {}, 'settings', 'warning', /^PAYMENTS_PUBLIC_URL \(http/],
    [
      'certificates that nobody checks',
      { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      'settings',
      'warning',
      /NODE_TLS_REJECT_UNAUTHORIZED is 0/,
    ],
    [
      'certificates that nobody checks in production',
      { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_ENV: 'production' },
      'settings',
      'failed',
      /NODE_TLS_REJECT_UNAUTHORIZED is 0/,
    ],
    [
      'no database in production',
      { NODE_ENV: 'production', PAYMENTS_DATABASE_URL: undefined },
      'database',
      'failed',
      /^NODE_ENV is production/,
    ],
    ['a database that nobody uses', {}, 'application', 'warning', /^no application has used/],
  ])(
    'finds what the start refuses or warns of, such as %s',
    async (_, changes, check, verdict, found) => {
      const { checks } = await examine({
        PAYMENTS_BASE_URL: 'https://platform.invalid',
        PAYMENTS_API_KEYS: 'an-api-key-of-the-portal',
        ...changes,
      });
      expect(checks[check]).toMatchObject({ verdict, found: expect.stringMatching(found) });
    },
  );

  it('names every setting that is missing or wrong, and still checks what it can', async () => {
    const { code, checks } = await examine({
      PAYMENTS_CLIENT_ID: undefined,
      PAYMENTS_TILL_NUMBER: 'shop',
      PAYMENTS_DEFAULT_COUNTRY: 'Kenya',
    });
    expect(code).toBe(1);
    expect(checks['settings']).toMatchObject({
      verdict: 'failed',
      found: expect.stringMatching(/CLIENT_ID is missing.*\n.*TILL_NUMBER.*\n.*DEFAULT_COUNTRY/),
    });
    const { out } = await tillkit(['doctor'], { environment: {} });
    expect(out).toMatch(/^failed +settings +\S+ is missing: .*\n {28}\S+ is missing: /);
    expect(checks['token']).toMatchObject({
      verdict: 'skipped',
      found: 'it needs "settings", which failed',
    });
    expect(checks['public URL']).toMatchObject({ verdict: 'ok' });
    expect(checks['database']).toMatchObject({ verdict: 'ok' });
  });

  it('warns of a variable that has a wrong name', async () => {
    const { code, checks } = await examine({ PAYMENTS_TILL: '514459' });
    expect(code).toBe(0);
    expect(checks['settings']).toMatchObject({
      verdict: 'warning',
      found: expect.stringMatching(/^PAYMENTS_TILL is not read: did you mean PAYMENTS_TILL_NUMBER/),
    });
  });

  it('has nothing to check without any setting', async () => {
    const { code, out } = await tillkit(['doctor', '--json']);
    const { checks } = JSON.parse(out) as { checks: Checked[] };
    expect(code).toBe(1);
    expect(checks.map(({ verdict }) => verdict)).toEqual(['failed', ...Array(12).fill('skipped')]);
  });

  it('says that the platform refuses the credentials', async () => {
    const { code, checks } = await examine({ PAYMENTS_CLIENT_SECRET: 'wrong-secret' });
    expect(code).toBe(1);
    expect(checks['token']).toMatchObject({
      verdict: 'failed',
      cure: expect.stringContaining('PAYMENTS_CLIENT_SECRET'),
    });
  });

  it('says that nothing listens at the public URL, and that the platform is not there', async () => {
    const port = await freePort();
    const { code, checks } = await examine({
      PAYMENTS_PUBLIC_URL: `http://127.0.0.1:${port}`,
      PAYMENTS_BASE_URL: `http://127.0.0.1:${port}`,
    });
    expect(code).toBe(1);
    for (const name of ['public URL', 'clock', 'token'])
      expect(checks[name]).toMatchObject({
        verdict: 'failed',
        found: expect.stringMatching(/ECONNREFUSED|not be reached|no answer/),
      });
  });

  it('gives up what never answers', async () => {
    const silent = await serve(() => undefined);
    const { code, checks } = await examine(
      { PAYMENTS_PUBLIC_URL: silent, PAYMENTS_BASE_URL: silent },
      '--timeout',
      '1',
    );
    expect(code).toBe(1);
    for (const name of ['public URL', 'clock', 'token'])
      expect(checks[name]).toMatchObject({
        verdict: 'failed',
        found: expect.stringMatching(/no answer (within|in time)|did not answer/),
      });
  });

  it('recognises a login page', async () => {
    const login = await serve((_, response) => {
      response.writeHead(302, { location: 'https://sso.example/login' }).end();
    });
    const { checks } = await examine({ PAYMENTS_PUBLIC_URL: login });
    expect(checks['public URL']).toMatchObject({
      verdict: 'failed',
      found: expect.stringContaining('sso.example/login: a login page'),
    });
  });

  it.each(PLATFORMS)('finds our routes below a global prefix on $platform', async (platform) => {
    const prefixed = await Merchant.open({
      platform,
      shared: merchant.simulator,
      payments: { store: new MemoryStore() },
      configure: (app) => app.setGlobalPrefix('api'),
    });
    const without = await examine({ PAYMENTS_PUBLIC_URL: prefixed.url });
    expect(without.checks['public URL']).toMatchObject({
      verdict: 'failed',
      found: expect.stringMatching(/has no route \/payments\/webhooks/),
      cure: expect.stringContaining('--prefix'),
    });
    const found = await examine({ PAYMENTS_PUBLIC_URL: prefixed.url }, '--prefix', '/api/');
    expect(found.checks['public URL']).toMatchObject({ verdict: 'ok' });
    await prefixed.close();
  });

  it.each(PLATFORMS)(
    'recognises an application without our module on $platform',
    async (platform) => {
      @Module({})
      class OtherModule {}
      const port = await freePort();
      const app = await listeningAt(port, platform, { imports: [OtherModule] });
      const { checks } = await examine({ PAYMENTS_PUBLIC_URL: `http://127.0.0.1:${port}` });
      expect(checks['public URL']).toMatchObject({
        verdict: 'failed',
        found: expect.stringMatching(/has no route \/payments\/webhooks/),
      });
      await app.close();
    },
  );

  it('judges the certificate of the public URL', async () => {
    const server = createSecureServer(CERTIFICATE, (_, response) => response.end());
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { checks } = await examine({ PAYMENTS_PUBLIC_URL: `https://localhost:${port}` });
    expect(checks['certificate']).toMatchObject({
      verdict: 'failed',
      found: expect.stringMatching(/localhost is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT/),
      cure: expect.stringContaining('public certificate authority'),
    });
    expect(checks['public URL']).toMatchObject({
      found: expect.stringContaining('the certificate of localhost'),
    });
    const ca = await captured('ca.pem', CERTIFICATE.cert);
    const trusted = await tillkitProcess(['doctor', '--json', '--prefix', 'any'], {
      environment: {
        ...environment,
        PAYMENTS_PUBLIC_URL: `https://localhost:${port}`,
        NODE_EXTRA_CA_CERTS: ca,
      },
    });
    const results = (JSON.parse(trusted.out) as { checks: Checked[] }).checks;
    expect(results.find(({ check }) => check === 'certificate')).toMatchObject({ verdict: 'ok' });
    const plain = await serve((_, response) => response.end());
    const without = await examine({ PAYMENTS_PUBLIC_URL: plain.replace('http:', 'https:') });
    expect(without.checks['certificate']).toMatchObject({
      verdict: 'failed',
      found: expect.stringContaining('speaks no TLS'),
    });
  });

  it.each([
    ['a text that is no captured delivery', '{"topic":"x"}', /is no captured delivery/],
    ['a captured delivery without a signature', 'Host: shop.example\n\n{}', /carries no signature/],
    [
      'a captured delivery of another key',
      `X-KopoKopo-Signature: ${signDelivery('{}', 'other')}\n\n{}`,
      /none of the API keys/,
    ],
  ])('says why %s matches no key', async (name, text, found) => {
    const { code, checks } = await examine({}, '--delivery', await captured(`${name}.http`, text));
    expect(code).toBe(1);
    expect(checks['captured delivery']).toMatchObject({
      verdict: 'failed',
      found: expect.stringMatching(found),
      cure: expect.any(String),
    });
  });

  it('says why the database cannot be used, without its password', async () => {
    const { checks } = await examine({
      PAYMENTS_DATABASE_URL: 'postgres://tillkit:very-secret@127.0.0.1:1/shop',
    });
    expect(checks['database']).toMatchObject({
      verdict: 'failed',
      found: expect.stringContaining('ECONNREFUSED'),
      cure: expect.stringContaining('PAYMENTS_DATABASE_URL'),
    });
    expect(checks['migrations']).toMatchObject({ verdict: 'skipped' });
    expect(checks['listeners']).toMatchObject({ verdict: 'skipped' });
  });

  it('names missing migrations, and makes none', async () => {
    const empty = await emptyDatabase();
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const { checks } = await examine({ PAYMENTS_DATABASE_URL: empty.url });
      expect(checks['migrations']).toMatchObject({
        verdict: 'failed',
        found: expect.stringMatching(/lacks \d+ migrations, the first is 000001\.clock/),
        cure: expect.stringContaining('tillkit migrate'),
      });
    }
    await empty.drop();
  });

  it('names sequences that are behind, and what raises them', async () => {
    const moved = await freshDatabase();
    const store = new PostgresStore({ ...PATIENT, connectionString: moved.url });
    await store.pauses.pause('shop-1', 'kate', 'the database moves');
    const person = new pg.Client({ connectionString: moved.url });
    await person.connect();
    await person.query(`select setval('tillkit.pause_id_seq', 1, false)`);
    const { code, checks } = await examine({ PAYMENTS_DATABASE_URL: moved.url });
    expect({ code, sequences: checks['sequences'] }).toMatchObject({
      code: 1,
      sequences: {
        verdict: 'failed',
        found: expect.stringContaining('behind the rows of pause.id, as'),
        cure: expect.stringContaining('tillkit restored'),
      },
    });
    await tillkit(['restored', '--at', new Date().toISOString(), '--by', 'jane', '--yes'], {
      environment: { PAYMENTS_DATABASE_URL: moved.url },
    });
    const after = await examine({ PAYMENTS_DATABASE_URL: moved.url });
    expect(after.checks['sequences']).toMatchObject({ verdict: 'ok' });
    await person.end();
    await store.close();
    await moved.drop();
  });

  it('warns of what is paused', async () => {
    const used = await freshDatabase();
    const store = new PostgresStore({ ...PATIENT, connectionString: used.url });
    await store.accounts.noteStarts(['shop-1']);
    await store.pauses.pause('shop-1', 'kate', 'the till was moved');
    await store.pauses.pause(null, 'jane', 'the till was moved');
    const { code, checks } = await examine({ PAYMENTS_DATABASE_URL: used.url });
    expect({ code, sending: checks['sending'] }).toMatchObject({
      code: 0,
      sending: {
        verdict: 'warning',
        found: expect.stringMatching(
          /^paused: sending of all accounts \(by jane, \S+Z\), sending of account "shop-1" \(by kate, \S+Z\)$/,
        ),
        cure: expect.stringContaining('tillkit resume'),
      },
    });
    await store.close();
    await used.drop();
  });

  it("warns of what waits for a person's decision, since when, and counts what passed another request", async () => {
    const used = await freshDatabase();
    const store = new PostgresStore({ ...PATIENT, connectionString: used.url });
    const waiting = await recorded(store, aPayment('shop-1'));
    await changed(store, waiting, { state: 'needs_review', cause: 'no_evidence' });
    await recorded(store, { ...aPayment('shop-1'), besides: [waiting.id] });
    const { code, checks } = await examine({ PAYMENTS_DATABASE_URL: used.url });
    expect({ code, reviews: checks['reviews'] }).toMatchObject({
      code: 0,
      reviews: {
        verdict: 'warning',
        found: expect.stringMatching(
          /^waiting for a decision: 1 of account "shop-1", the oldest since \S+Z; 1 requests of the last 24 hours passed another one$/,
        ),
        cure: expect.stringContaining('tillkit reviews list'),
      },
    });
    await store.close();
    await used.drop();
  });

  it('warns of listeners that no process has, and then exits with 0', async () => {
    const used = await freshDatabase();
    const store = new PostgresStore({ ...PATIENT, connectionString: used.url });
    await store.accounts.noteStarts(['shop-1']);
    await store.events.registerListeners(
      'shop-1',
      [{ event: 'delivery.unrecognised', listener: 'Orders.gone' }],
      'start',
    );
    await commitEvents(store, 'shop-1', anEvent('shop-1', 'one'));
    await letTimePass(used.url, 11 * 60_000);
    const { code, checks } = await examine({ PAYMENTS_DATABASE_URL: used.url });
    expect({ code, listeners: checks['listeners'] }).toMatchObject({
      code: 0,
      listeners: {
        verdict: 'warning',
        found: 'no process has the listener Orders.gone of account "shop-1" (1 calls)',
        cure: expect.stringContaining('listeners delete'),
      },
    });
    await store.close();
    await used.drop();
  });

  it.each([`'one key'`, '7', '[7, null, 8]', '{}'])(
    'says what is wrong with the keys of a source, and finishes, when they are %s',
    async (keys) => {
      const source = await captured(
        `wrong-keys-${keys.length}.mjs`,
        `export default () => ({ clientId: 'x', clientSecret: 'y', apiKeys: ${keys} });`,
      );
      const { code, checks } = await examine({}, '--source', source, '--account', 'shop-1');
      expect(code).toBe(1);
      expect(checks['settings']).toMatchObject({
        verdict: 'failed',
        found: expect.stringContaining('apiKeys of account "shop-1"'),
      });
      expect(checks['database']?.verdict).toBeDefined();
    },
  );

  it('examines one account of a source', async () => {
    const { simulator } = merchant;
    const options = {
      baseUrl: simulator.url,
      publicUrl: merchant.url,
      clientId: simulator.clientId,
      clientSecret: simulator.clientSecret,
      apiKeys: ['one', simulator.apiKey],
    };
    const source = await captured(
      'shops.mjs',
      `export default (account) => account === 'shop-1' ? ${JSON.stringify(options)} : null;`,
    );
    const body = '{}';
    const file = await captured(
      'shop.http',
      `X-KopoKopo-Signature: ${signDelivery(body, simulator.apiKey)}\n\n${body}`,
    );
    const { checks } = await examine(
      { PAYMENTS_CLIENT_ID: undefined },
      '--source',
      source,
      '--account',
      'shop-1',
      '--delivery',
      file,
    );
    expect(checks['settings']).toMatchObject({ verdict: 'ok' });
    expect(checks['token']).toMatchObject({ verdict: 'ok' });
    expect(checks['captured delivery']?.found).toBe(
      'API key 2 of account "shop-1" made its signature',
    );
    // This application has the default account only.
    expect(checks['public URL']).toMatchObject({
      verdict: 'failed',
      found: expect.stringContaining('/payments/accounts/shop-1/webhooks'),
    });
  });

  it.each([
    [
      'an account without its source',
      ['--account', 'shop-1'],
      /add --source <module> for account "shop-1"/,
    ],
    ['a source without the account', ['--source', './shops.mjs'], /name one with --account/],
    ['a timeout of 0', ['--timeout', '0'], /whole number from 1 to 60/],
  ])('refuses %s with the cause and the cure', async (_, args, why) => {
    expect(await tillkit(['doctor', ...args], { environment })).toMatchObject({
      code: 2,
      out: '',
      complaint: expect.stringMatching(why),
    });
  });
});
