import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigModule } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PaymentsModule, PaymentsService } from '@tillkit/payments';
import type { Page } from 'playwright-core';
import { startPlatform, type Platform } from '../../libs/simulator/src/testing/platform.fixture.js';
import { aRequestFrom } from '../support/merchant.js';
import { freePort } from '../support/free.port.js';
import { until } from '../support/until.js';
import { TestBrowser } from './browser.fixture.js';

/** A secret that is not what it is without quotes in the file. */
const SECRET = `a#b 'c' $d`;

describe('The settings of an application on the pages of the simulator', () => {
  const browser = new TestBrowser();
  let platform: Platform;
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tillkit-env-'));
    platform = await startPlatform({ clientSecret: SECRET });
    platform.simulator.merchants.add({ name: 'shop-7', tillNumbers: ['700007'] });
  });

  afterEach(async () => {
    for (const name of Object.keys(process.env)) {
      if (name.startsWith('PAYMENTS_')) delete process.env[name];
    }
    await platform.stop();
    await rm(folder, { recursive: true });
  });

  /** Presses Copy. @returns the text in the clipboard */
  const copied = async (page: Page): Promise<string> => {
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('status').getByText('Copied the settings.').waitFor();
    return page.evaluate<string>('navigator.clipboard.readText()');
  };

  const open = async (path: string): Promise<Page> => {
    const page = await browser.page({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(platform.simulator.url + path);
    return page;
  };

  it.each([
    { name: 'default', till: '514459' },
    { name: 'shop-7', till: '700007' },
  ])(
    'are copied, and an application of $name that starts with them is paid',
    async ({ name, till }) => {
      const page = await open('/');
      await page.getByLabel('Merchant').selectOption(name);
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      const text = await copied(page);
      expect(text).toBe(await page.locator('#env').textContent());
      const envFilePath = join(folder, '.env');
      await writeFile(envFilePath, text);

      // The file has the port 3000, which may be in use here. The environment is stronger than the file.
      const port = await freePort();
      process.env['PAYMENTS_PUBLIC_URL'] = `http://localhost:${port}`;
      const app = await NestFactory.create(
        {
          module: class ShopModule {},
          imports: [
            ConfigModule.forRoot({ envFilePath, isGlobal: true }),
            PaymentsModule.forRoot({ reconciliation: false }),
          ],
        },
        { logger: false, abortOnError: false },
      );
      try {
        await app.listen(port);
        const payments = app.get(PaymentsService);
        const { id } = await payments.request(aRequestFrom('+254700000001'));
        await until(async () => (await payments.find(id))?.state === 'succeeded');
        expect(platform.simulator.charges(name)).toMatchObject([
          { status: 'Success', tillNumber: till },
        ]);
      } finally {
        await app.close();
      }
    },
  );

  it('are selectable without scripts, where no Copy button is', async () => {
    const page = await browser.page({ javaScriptEnabled: false });
    await page.goto(platform.simulator.url);
    const text = String(await page.locator('#env').textContent());
    expect(parseEnv(text)).toEqual({
      PAYMENTS_BASE_URL: platform.simulator.url,
      PAYMENTS_CLIENT_ID: platform.simulator.clientId,
      PAYMENTS_CLIENT_SECRET: SECRET,
      PAYMENTS_API_KEYS: platform.simulator.apiKey,
      PAYMENTS_TILL_NUMBER: '514459',
      PAYMENTS_PUBLIC_URL: 'http://localhost:3000',
      PAYMENTS_DEFAULT_COUNTRY: 'KE',
    });
    expect(await page.getByRole('button', { name: 'Copy' }).isVisible()).toBe(false);
  });

  it('are selected for the keyboard when the browser refuses the clipboard', async () => {
    const page = await browser.page();
    await page.addInitScript(
      `navigator.clipboard.writeText = () => Promise.reject(new Error('Not allowed.'))`,
    );
    await page.goto(platform.simulator.url);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('The settings are selected.').first().waitFor();
    expect(await page.evaluate<string>('String(getSelection())')).toContain(
      `PAYMENTS_BASE_URL=${platform.simulator.url}`,
    );
  });
});
