import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPlatform, type Platform } from '../../libs/simulator/src/testing/platform.fixture.js';
import { TestBrowser } from './browser.fixture.js';

const FOLDER = join(import.meta.dirname, '..', '..', 'docs', 'images');

/** Makes the screenshots of the documentation if SCREENSHOTS=1. */
const describeWhenAsked = process.env['SCREENSHOTS'] ? describe : describe.skip;

const SCREENS = [
  { screen: 'desktop', options: { viewport: { width: 1360, height: 900 } } },
  {
    screen: 'phone-dark',
    options: {
      viewport: { width: 360, height: 740 },
      isMobile: true,
      deviceScaleFactor: 2,
      colorScheme: 'dark',
    },
  },
] as const;

describeWhenAsked('screenshots of the simulator', () => {
  let browser: TestBrowser;
  let platform: Platform;

  beforeAll(async () => {
    await mkdir(FOLDER, { recursive: true });
    browser = await TestBrowser.launch();
  });

  afterAll(() => browser.close());

  it.each(SCREENS)('are made on a $screen', async ({ screen, options }) => {
    platform = await startPlatform({ seed: 1, clientId: 'simulator-client-id' });
    const { simulator, client, receiver } = platform;
    const callbackUrl = `${receiver.url}/callbacks`;
    // Screenshots without animations.
    const page = await browser.page({ ...options, reducedMotion: 'reduce' });
    const picture = (name: string, fullPage = false): Promise<unknown> =>
      page.screenshot({ path: join(FOLDER, `simulator-${name}-${screen}.png`), fullPage });

    await page.goto(simulator.url);
    await picture('start', true);

    const handset = simulator.handset('+254700000114');
    simulator.scenario('+254700000114', 'handset');
    await client.pay({ phone: '+254700000114', value: 420, callbackUrl });
    await simulator.idle();
    handset.approve();
    handset.receive({
      at: new Date(simulator.clock.now()).toISOString(),
      from: 'KIBANDA',
      text: 'Asante Wanjiru! We received KES 420.00 for Purple tea.',
    });
    await page.goto(`${simulator.url}/handsets?phone=+254700000014&phone=+254700000114`);
    await page.getByText('Asante Wanjiru!').waitFor();
    await client.pay({ phone: '+254700000014', value: 650, callbackUrl });
    await page.getByRole('heading', { name: 'Pay KES 650.00?' }).first().waitFor();
    await page.getByLabel('PIN', { exact: true }).first().fill('12');
    await picture('handsets', true);

    await platform.subscribe();
    simulator.faults.rate('lose', 0.3, { match: { delivery: 'callback' } });
    simulator.faults.once('wrong-key');
    simulator.handset('+254700000014').cancel();
    await client.pay({ phone: '+254700000001', callbackUrl });
    await client.pay({ phone: '+254700000010', value: 90, callbackUrl });
    simulator.faults.once('create-429');
    await client.pay({ phone: '+254700000001', callbackUrl }).catch(() => undefined);
    receiver.answers = [503];
    await simulator.payTill({ tillNumber: '514459', phoneNumber: '+254700000077', amount: 350 });
    await page.goto(`${simulator.url}/control`);
    await page.getByText('webhook buygoods').first().waitFor();
    await picture('control');
    await page.locator('summary').filter({ hasText: 'webhook buygoods' }).first().click();
    await page.getByRole('button', { name: 'Resend' }).waitFor();
    await page.getByRole('button', { name: 'Copy as curl' }).scrollIntoViewIfNeeded();
    await picture('delivery');
    await platform.stop();
    expect(simulator.charges()).not.toEqual([]);
  });
});
