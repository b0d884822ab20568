import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { PaymentsConfigurationError } from '@tillkit/payments';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { freePort } from '../../test/support/free.port.js';
import { practiceOf, TestDirectory } from './shop.fixture.js';
import { openShop, type Shop } from '../src/shop-application.js';
import { greeting } from '../src/shop-greeting.js';
import { ShopStartError } from '../src/shop.settings.js';

describe('The sample shop', () => {
  let directory: TestDirectory;
  const closers: (() => unknown)[] = [];

  beforeAll(async () => {
    directory = await TestDirectory.create();
  });

  afterAll(() => directory.remove());

  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
    for (const name of Object.keys(process.env)) {
      if (name.startsWith('PAYMENTS_')) delete process.env[name];
    }
  });

  const startSimulator = async (): Promise<Simulator> => {
    const simulator = await Simulator.start({ timings: INSTANT_TIMINGS });
    closers.push(() => simulator.stop());
    return simulator;
  };

  const open = async (environment: Record<string, string>): Promise<Shop> => {
    Object.assign(process.env, environment);
    const practice = practiceOf(await startSimulator());
    const shop = await openShop({ ...directory.next(), environment, practice, logger: false });
    closers.push(() => shop.app.close());
    return shop;
  };

  const occupyPort = async (): Promise<number> => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => new Promise((resolve) => server.close(resolve)));
    return (server.address() as AddressInfo).port;
  };

  const realPlatform = async (): Promise<Record<string, string>> => {
    const simulator = await startSimulator();
    return {
      PAYMENTS_BASE_URL: simulator.url,
      PAYMENTS_CLIENT_ID: simulator.clientId,
      PAYMENTS_CLIENT_SECRET: simulator.clientSecret,
      PAYMENTS_API_KEYS: simulator.apiKey,
      PAYMENTS_PUBLIC_URL: 'http://127.0.0.1:9',
      PAYMENTS_TILL_NUMBER: '514459',
    };
  };

  it('starts without settings, with a practice platform, and prints the scenario of each phone', async () => {
    const shop = await open({ PORT: '0' });
    const text = greeting(shop);
    expect(text).toContain(`The shop is open:    ${shop.url}`);
    expect(text).toContain('0700000001  The customer enters the PIN: Success.');
    expect(text).toContain(`Operators' pages:    ${shop.url}/dashboard`);
    expect(text).toContain('no money moves');
    expect(text).not.toContain('is in use');
    expect(await (await fetch(shop.url)).text()).toContain('Practice mode.');
  });

  it('subscribes to webhooks once at each practice platform', async () => {
    const options = { ...directory.next(), environment: { PORT: '0' }, logger: false } as const;
    const [first, second] = [await startSimulator(), await startSimulator()];
    for (const simulator of [first, second]) {
      const platform = { ...practiceOf(simulator), stop: () => Promise.resolve() };
      for (const environment of [{ PORT: '0' }, { PORT: String(await freePort()) }]) {
        const shop = await openShop({ ...options, environment, practice: platform });
        const again = { ...environment, PORT: new URL(shop.url).port };
        await shop.app.close();
        await (await openShop({ ...options, environment: again, practice: platform })).app.close();
      }
      // There are two events at two addresses of the shop.
      expect(simulator.subscriptions()).toHaveLength(4);
    }
  });

  it('uses a free port when the wanted port is in use, and prints that', async () => {
    const port = await occupyPort();
    const shop = await open({ PORT: String(port) });
    expect(shop.url).not.toContain(String(port));
    expect(greeting(shop)).toContain(`Port ${port} is in use`);
  });

  it('uses the platform of PAYMENTS_*, without practice pages', async () => {
    const shop = await open({ ...(await realPlatform()), PORT: '0' });
    expect(shop.practice).toBeNull();
    expect(await (await fetch(shop.url)).text()).not.toContain('Practice');
    expect(greeting(shop)).toContain('real money moves');
    expect(greeting(shop)).not.toContain('dashboard');
    for (const path of ['dashboard', 'suppliers'])
      expect((await fetch(`${shop.url}/${path}`)).status).toBe(404);
  });

  it('refuses to start with only some settings, and names each missing one', async () => {
    const refused = open({ PORT: '0', PAYMENTS_CLIENT_ID: 'someone' });
    await expect(refused).rejects.toThrow(PaymentsConfigurationError);
    await expect(refused).rejects.toThrow(/PAYMENTS_BASE_URL[^]*PAYMENTS_CLIENT_SECRET/);
  });

  it('refuses to start without PAYMENTS_TILL_NUMBER', async () => {
    const { PAYMENTS_TILL_NUMBER: _, ...settings } = await realPlatform();
    await expect(open({ ...settings, PORT: '0' })).rejects.toThrow('PAYMENTS_TILL_NUMBER');
  });

  it('refuses to start with a real platform when its port is in use', async () => {
    const port = await occupyPort();
    const settings = { ...(await realPlatform()), PORT: String(port) };
    await expect(open(settings)).rejects.toThrow(`Port ${port} is in use`);
  });

  it.each(['abc', '-1', '65536', '3.5'])('refuses to start with PORT=%s', async (PORT) => {
    await expect(open({ PORT })).rejects.toThrow(ShopStartError);
  });
});
