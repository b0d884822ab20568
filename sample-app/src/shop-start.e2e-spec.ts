import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { PaymentsConfigurationError } from '@tillkit/payments';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import type { InProcessPlatform } from './practice/in-process.platform.js';
import { openShop, type Shop } from './shop.application.js';
import { ShopStartError } from './shop.environment.js';
import { greeting } from './shop.greeting.js';

const TILL = '514459';
const QUIET = { logger: false, simulator: { port: 0, timings: INSTANT_TIMINGS } } as const;

describe('opening the shop', () => {
  const closers: (() => unknown)[] = [];

  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
    for (const name of Object.keys(process.env)) {
      if (name.startsWith('PAYMENTS_')) delete process.env[name];
    }
  });

  const open = async (environment: Record<string, string>): Promise<Shop> => {
    Object.assign(process.env, environment);
    const shop = await openShop({ ...QUIET, environment });
    closers.push(() => shop.app.close());
    return shop;
  };

  const takePort = async (): Promise<number> => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => new Promise((resolve) => server.close(resolve)));
    return (server.address() as AddressInfo).port;
  };

  const realPlatform = async (): Promise<Record<string, string>> => {
    const simulator = await Simulator.start({ timings: INSTANT_TIMINGS });
    closers.push(() => simulator.stop());
    return {
      PAYMENTS_BASE_URL: simulator.url,
      PAYMENTS_CLIENT_ID: simulator.clientId,
      PAYMENTS_CLIENT_SECRET: simulator.clientSecret,
      PAYMENTS_API_KEYS: simulator.apiKey,
      PAYMENTS_PUBLIC_URL: 'http://127.0.0.1:9',
      PAYMENTS_TILL_NUMBER: TILL,
    };
  };

  it('needs nothing: it brings its own platform, and says what each phone does', async () => {
    const shop = await open({ PORT: '0' });
    const text = greeting(shop);
    expect(text).toContain(`The shop is open:    ${shop.url}`);
    expect(text).toContain('0700000001  The customer enters the PIN: Success.');
    expect(text).toContain(`What operators see:  ${shop.url}/dashboard`);
    expect(text).toContain('no money moves');
    expect(text).not.toContain('taken');
    expect((shop.practice as InProcessPlatform).simulator.subscriptions()).toHaveLength(2);
    expect(await (await fetch(shop.url)).text()).toContain('Practice mode.');
  });

  it('takes a free port when the wanted one is taken, and says so', async () => {
    const port = await takePort();
    const shop = await open({ PORT: String(port) });
    expect(shop.url).not.toContain(String(port));
    expect(greeting(shop)).toContain(`Port ${port} is taken`);
  });

  it('takes a free port for the platform when the usual one is taken', async () => {
    const port = await takePort();
    const shop = await openShop({
      environment: { PORT: '0' },
      logger: false,
      simulator: { port },
    });
    closers.push(() => shop.app.close());
    expect(shop.practice?.url).not.toContain(`:${port}`);
  });

  it('talks to the platform that the environment names, and to no other', async () => {
    const shop = await open({ ...(await realPlatform()), PORT: '0' });
    expect(shop.practice).toBeNull();
    expect(await (await fetch(shop.url)).text()).not.toContain('Practice');
    expect(greeting(shop)).toContain('money really moves');
    expect(greeting(shop)).not.toContain('dashboard');
    expect((await fetch(`${shop.url}/dashboard`)).status).toBe(404);
  });

  it('refuses to start with half of the settings, naming each that is missing', async () => {
    const refused = open({ PORT: '0', PAYMENTS_CLIENT_ID: 'someone' });
    await expect(refused).rejects.toThrow(PaymentsConfigurationError);
    await expect(refused).rejects.toThrow(/PAYMENTS_BASE_URL[^]*PAYMENTS_CLIENT_SECRET/);
  });

  it('refuses to start without a till to pay to', async () => {
    const { PAYMENTS_TILL_NUMBER: _, ...settings } = await realPlatform();
    await expect(open({ ...settings, PORT: '0' })).rejects.toThrow('PAYMENTS_TILL_NUMBER');
  });

  it('refuses another port than the one that the platform was told of', async () => {
    const port = await takePort();
    const settings = { ...(await realPlatform()), PORT: String(port) };
    await expect(open(settings)).rejects.toThrow(`Port ${port} is taken`);
  });

  it.each(['abc', '-1', '65536', '3.5'])('refuses PORT=%s', async (PORT) => {
    await expect(open({ PORT })).rejects.toThrow(ShopStartError);
  });

  it('refuses a host that is none of this machine', async () => {
    await expect(open({ PORT: '0', HOST: '192.0.2.1' })).rejects.toThrow('EADDRNOTAVAIL');
  });
});
