import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort } from '../../test/support/free.port.js';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const HOOKS = new URL('../../test/support/typescript.register.mjs', import.meta.url).href;
const CONDITIONS = process.env['TEST_TARGET'] === 'dist' ? [] : ['--conditions=@tillkit/source'];

/** With this scenario only a person answers the prompt. */
const PHONE = '0700000014';
const HANDSET = '/_simulator/handsets/%2B254700000014';

describe('The sample shop of npm start', () => {
  let directory: string;
  let port: number;
  let shop: ChildProcess | null = null;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tillkit-shop-'));
    // PostgreSQL refuses to run as root, so another user must be able to enter the directory.
    await chmod(directory, 0o755);
    port = await freePort();
  });

  afterEach(async () => {
    await stop('SIGTERM');
    await rm(directory, { recursive: true, force: true });
  });

  const spawnShop = (): ChildProcess => {
    const environment = Object.entries(process.env).filter(
      ([name]) => !name.startsWith('PAYMENTS_'),
    );
    return spawn(process.execPath, [...CONDITIONS, '--import', HOOKS, MAIN], {
      env: {
        ...Object.fromEntries(environment),
        NODE_OPTIONS: '',
        PORT: String(port),
        SHOP_DATA: directory,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  };

  const start = async (): Promise<void> => {
    shop = spawnShop();
    let output = '';
    shop.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    while (!output.includes('The shop is open')) {
      if (shop.exitCode !== null) throw new Error(`the shop ended with ${shop.exitCode}`);
      await sleep(50);
    }
  };

  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (!shop || shop.exitCode !== null || shop.signalCode !== null) return;
    const ended = once(shop, 'exit');
    shop.kill(signal);
    await ended;
  };

  const page = async (path: string): Promise<string> =>
    (await fetch(`http://127.0.0.1:${port}${path}`)).text();

  const pageWith = async (path: string, text: string): Promise<string> => {
    for (;;) {
      const html = await page(path);
      if (html.includes(text)) return html;
      await sleep(100);
    }
  };

  const platformUrl = async (): Promise<string> => {
    const file = await readFile(join(directory, 'practice-platform.json'), 'utf8');
    return (JSON.parse(file) as { url: string }).url;
  };

  const platform = async (path: string, method = 'GET'): Promise<unknown> => {
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    const response = await fetch((await platformUrl()) + path, method === 'POST' ? post : {});
    return response.json();
  };

  const promptOpen = async (): Promise<void> => {
    for (;;) {
      const { prompts } = (await platform(HANDSET)) as { prompts?: unknown[] };
      if (prompts && prompts.length > 0) return;
      await sleep(100);
    }
  };

  /** Places an order, and waits for the prompt. @returns its path */
  const buy = async (): Promise<string> => {
    const form = { goods: 'coffee', ticket: randomUUID(), name: 'Jane Doe', phone: PHONE };
    const { headers } = await fetch(`http://127.0.0.1:${port}/orders`, {
      method: 'POST',
      body: new URLSearchParams(form),
      redirect: 'manual',
    });
    const order = new URL(headers.get('location') as string, `http://127.0.0.1:${port}`).pathname;
    await pageWith(order, 'Check your phone');
    await promptOpen();
    return order;
  };

  const answers = (url: string): Promise<boolean> =>
    fetch(url).then(
      () => true,
      () => false,
    );

  it('marks an order as paid after it is killed during the payment and started again', async () => {
    await start();
    const order = await buy();

    await stop('SIGKILL');
    await platform(`${HANDSET}/approve`, 'POST');
    await start();

    expect(await pageWith(order, 'Paid. Asante!')).toContain('Total paid');
    expect(await pageWith('/till', '650')).toContain('650');
    expect(await platform('/_simulator/webhook-subscriptions')).toHaveLength(2);
  });

  it('marks an order as paid after Ctrl-C has stopped it and its platform during the payment, and both have started again', async () => {
    await start();
    const order = await buy();
    const url = await platformUrl();
    await stop('SIGINT');
    expect(await answers(url)).toBe(false);
    await start();
    await promptOpen();
    await platform(`${HANDSET}/approve`, 'POST');

    expect(await pageWith(order, 'Paid. Asante!')).toContain('Total paid');
    expect(await platform('/_simulator/webhook-subscriptions')).toHaveLength(2);
  });

  it('pays a supplier once although it is killed before the platform has answered, and started again', async () => {
    await start();
    await platform('/_simulator/faults/create-never-answers/once', 'POST');
    const form = new URLSearchParams({
      ticket: randomUUID(),
      supplier: 'Flour Ltd',
      phone: '0700000061',
      amount: '250',
      by: 'Jane',
    });
    const send = (): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}/suppliers`, { method: 'POST', body: form });
    expect((await send()).status).toBe(200);
    const payouts = (): Promise<unknown> => platform('/_simulator/payouts');
    while (((await payouts()) as unknown[]).length === 0) await sleep(20);

    await stop('SIGKILL');
    await start();

    expect((await send()).status).toBe(200);
    expect(await pageWith('/suppliers', 'Paid')).toContain('Flour Ltd');
    expect(await payouts()).toMatchObject([{ destinations: [{ paid: true, amount: 250 }] }]);
  });

  it('stops its simulator when Ctrl-C ends it before it is open', async () => {
    shop = spawnShop();
    let url: string | null = null;
    while (url === null) {
      if (shop.exitCode !== null) throw new Error(`the shop ended with ${shop.exitCode}`);
      await sleep(5);
      url = await platformUrl().catch(() => null);
    }
    await stop('SIGINT');
    expect(shop.exitCode).toBe(0);
    while (await answers(url)) await sleep(50);
  });
});
