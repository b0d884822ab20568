import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TokensService, type PaymentsOptions } from '@tillkit/payments';
import { CERTIFICATE } from '../../libs/simulator/src/testing/certificate.fixture.js';
import { freePort } from '../support/free.port.js';
import { Merchant } from '../support/merchant.js';
import { ScriptedProxy, type Script } from '../support/scripted.proxy.js';
import { SENT_KINDS } from '../support/sent.kinds.js';
import { until } from '../support/until.js';

const NOT_SENT = { state: 'failed', reason: 'not_sent' };

describe('A proxy', () => {
  let proxy: ScriptedProxy;
  let merchant: Merchant;

  beforeEach(async () => {
    proxy = await ScriptedProxy.open();
  });
  afterEach(async () => {
    await merchant.close();
    await proxy.close();
  });

  const open = async (
    http: PaymentsOptions['http'] = { proxy: proxy.url },
    { tls = true, sendBeforeMs = 60_000 } = {},
  ): Promise<void> => {
    merchant = await Merchant.open({
      simulator: { openingBalances: { '514459': 10_000 }, ...(tls && { tls: CERTIFICATE }) },
      payments: {
        http: { tls: { ca: CERTIFICATE.cert }, ...http },
        sending: { sendBeforeMs },
        reconciliation: false,
      },
    });
  };
  const target = (): string => new URL(merchant.simulator.url).host;
  /** The application has a token by now, and no connection: what comes next is the create. */
  const becomes = async (script: Script): Promise<void> => {
    await merchant.app.get(TokensService).get();
    await proxy.end();
    proxy.asked.length = 0;
    proxy.script = script;
  };

  describe.each(SENT_KINDS)('on the way of a $kind,', ({ request, moved, path }) => {
    const isNotSent = async (): Promise<void> => {
      expect(await request(merchant)).toMatchObject(NOT_SENT);
      expect(merchant.creates(path)).toBe(0);
    };

    it.each<[string, Script]>([
      ['closes the connection before its answer', 'closes'],
      ['ends the tunnel that it has just opened', 'breaks'],
      ['answers in place of the platform, before anybody has asked', 'speaks'],
    ])('which %s, leaves it as not sent', async (_, script) => {
      await open(undefined, { sendBeforeMs: 2_000 });
      await becomes(script);
      await isNotSent();
      expect(proxy.asked.length).toBeGreaterThan(0);
    });

    it('which does not listen, leaves it as not sent', async () => {
      const nobody = `http://127.0.0.1:${await freePort()}`;
      await open({ proxy: nobody }, { sendBeforeMs: 300 });
      await isNotSent();
    });

    it('which ends the tunnel within the request, leaves its outcome unknown, and it is not sent again', async () => {
      // Over plain HTTP, the proxy sees where the request begins.
      await open(undefined, { tls: false });
      proxy.endsWithin = { text: 'POST /api/', afterBytes: 40 };
      expect(await request(merchant)).toMatchObject({ state: 'unknown' });
      expect(merchant.creates(path)).toBe(0);
    });

    it('which ends the tunnel before the answer, leaves its outcome unknown, and it is not sent again', async () => {
      await open();
      merchant.simulator.faults.once('create-never-answers');
      merchant.simulator.faults.rate('lose', 1);
      const requested = request(merchant);
      await until(() => merchant.creates(path) === 1);
      proxy.cut();
      expect(await requested).toMatchObject({ state: 'unknown' });
      expect(merchant.creates(path)).toBe(1);
      expect(moved(merchant.simulator)).toBe(1);
    });

    it('which is reached by TLS, sees the name of the platform, and its own name is what counts for its certificate', async () => {
      await proxy.close();
      proxy = await ScriptedProxy.open(CERTIFICATE);
      await open({ proxy: `https://localhost:${proxy.port}` });
      expect(await request(merchant)).toMatchObject({ state: 'pending' });
      expect(moved(merchant.simulator)).toBe(1);
      expect(proxy.asked[0]).toMatch(`CONNECT ${target()} HTTP/1.1`);
      expect(new Set(proxy.calledAs)).toEqual(new Set(['localhost']));
    });
  });

  // The payment and the payout wait side by side, for as long as a connection may take.
  it('that hangs before its answer leaves a payment and a payout as not sent', async () => {
    await open(undefined, { sendBeforeMs: 4_000 });
    await becomes('hangs');
    const requested = await Promise.all(SENT_KINDS.map(({ request }) => request(merchant)));
    expect(requested).toMatchObject([NOT_SENT, NOT_SENT]);
    expect(SENT_KINDS.map(({ path }) => merchant.creates(path))).toEqual([0, 0]);
    expect(proxy.asked).toHaveLength(2);
  });

  it('is asked for names and times only, and nothing of what is sent', async () => {
    await open({ proxy: `http://shop:100%25@127.0.0.1:${proxy.port}` });
    await SENT_KINDS[0]!.request(merchant);
    for (const head of proxy.asked) {
      const credentials = Buffer.from('shop:100%').toString('base64');
      expect(head.split('\r\n').toSorted()).toEqual([
        `CONNECT ${target()} HTTP/1.1`,
        'Connection: close',
        `Host: ${target()}`,
        `Proxy-Authorization: Basic ${credentials}`,
      ]);
    }
  });

  it('that refuses with a page is quoted by its status, and never by its page', async () => {
    await open({ proxy: proxy.url.replace('//', '//shop:a-password@') });
    proxy.script = 'refuses';
    await expect(merchant.app.get(TokensService).get()).rejects.toThrow(
      'the platform cannot be reached (the proxy answered 407: it wants a user and a password): check the proxy (http.proxy).',
    );
  });

  describe('of the environment', () => {
    beforeEach(() => {
      for (const name of Object.keys(process.env))
        if (/^(https?|all|no)_proxy$/i.test(name)) delete process.env[name];
    });
    const [{ request, moved }] = SENT_KINDS as [(typeof SENT_KINDS)[number]];

    it.each([
      ['is used when http.proxy says so', 'HTTPS_PROXY', (url: string) => url],
      ['may have no protocol', 'https_proxy', (url: string) => url.replace('http://', '')],
      ['may be that of all protocols', 'ALL_PROXY', (url: string) => url],
    ])('%s', async (_, variable, named) => {
      process.env[variable] = named(proxy.url);
      await open({ proxy: 'environment' });
      expect(await request(merchant)).toMatchObject({ state: 'pending' });
      expect(moved(merchant.simulator)).toBe(1);
      expect(proxy.asked[0]).toMatch(`CONNECT ${target()} HTTP/1.1`);
    });

    it.each([
      ['is not used for a platform of NO_PROXY', { proxy: 'environment' }, '127.0.0.1'],
      ['is not used without http.proxy', {}, ''],
    ])('%s', async (_, http, except) => {
      process.env['HTTPS_PROXY'] = proxy.url;
      process.env['NO_PROXY'] = except;
      await open(http);
      expect(await request(merchant)).toMatchObject({ state: 'pending' });
      expect(proxy.asked).toEqual([]);
    });
  });
});
