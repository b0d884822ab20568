import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startPlatform, type Platform } from '../../libs/simulator/src/testing/platform.fixture.js';
import { TestBrowser } from './browser.fixture.js';

const FOLDER =
  process.env['SCREENSHOTS_FOLDER'] ?? join(import.meta.dirname, '..', '..', 'docs', 'images');

/** Makes the screenshots if SCREENSHOTS=1. */
const describeWhenAsked = process.env['SCREENSHOTS'] ? describe : describe.skip;

const SIZES = [
  { size: 'desktop', options: { viewport: { width: 1280, height: 800 } } },
  { size: 'phone', options: { viewport: { width: 360, height: 640 }, isMobile: true } },
] as const;

const SCREENS = SIZES.flatMap(({ size, options }) =>
  (['light', 'dark'] as const).map((colorScheme) => ({
    screen: `${size}-${colorScheme}`,
    // Screenshots without animations.
    options: { ...options, colorScheme, reducedMotion: 'reduce' as const },
  })),
);

const PERSON = '+254700000014';
const OTHER_PERSON = '+254700000114';

describeWhenAsked('screenshots of the simulator', () => {
  let browser: TestBrowser;
  let platform: Platform;

  beforeAll(async () => {
    await mkdir(FOLDER, { recursive: true });
    browser = await TestBrowser.launch();
  });

  afterAll(() => browser.close());

  afterEach(() => platform.stop());

  it.each(SCREENS)('are made on a $screen', async ({ screen, options }) => {
    platform = await startPlatform({ seed: 1, clientId: 'simulator-client-id' });
    const { simulator, client, receiver } = platform;
    const callbackUrl = `${receiver.url}/callbacks`;
    const page = await browser.page(options);
    const go = (path: string): Promise<unknown> => page.goto(simulator.url + path);
    const picture = (name: string, fullPage = true): Promise<unknown> =>
      page.screenshot({ path: join(FOLDER, `simulator-${name}-${screen}.png`), fullPage });

    await go('/');
    await picture('start');
    await go('/handsets');
    await picture('picker');
    await go('/handsets?phone=0700');
    await picture('picker-error');
    await go('/control');
    await page.getByText('POST /oauth/token').waitFor();
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await page.getByText('Nothing has happened yet').waitFor();
    await picture('activity-empty', false);

    await go(`/handset/${PERSON}`);
    await page.getByText('No prompt is waiting').waitFor();
    await picture('handset-empty');
    await client.pay({ phone: PERSON, value: 650, callbackUrl });
    await page.getByRole('heading', { name: 'Pay KES 650.00?' }).waitFor();
    await page.getByLabel('PIN', { exact: true }).fill('12');
    await picture('handset', false);
    await page.getByRole('button', { name: 'Right PIN' }).click();
    await page.getByText('You entered the PIN').first().waitFor();
    await picture('handset-paid');
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('button', { name: 'Switch on' }).waitFor();
    await picture('handset-off');
    await page.getByRole('button', { name: 'Switch on' }).click();

    simulator.handset(OTHER_PERSON).receive({
      at: new Date(simulator.clock.now()).toISOString(),
      from: 'KIBANDA',
      text: 'Asante Wanjiru! We received KES 420.00 for Purple tea.',
    });
    await go(`/handsets?phone=${PERSON}&phone=${OTHER_PERSON}`);
    await page.getByText('Asante Wanjiru!').waitFor();
    await client.pay({ phone: PERSON, value: 650, callbackUrl });
    await page.getByRole('heading', { name: 'Pay KES 650.00?' }).waitFor();
    await picture('handsets');
    simulator.handset(PERSON).cancel();

    await platform.subscribe();
    simulator.faults.rate('lose', 0.3, { match: { delivery: 'callback' } });
    simulator.faults.once('wrong-key');
    await client.pay({ phone: '+254700000001', callbackUrl });
    await client.pay({ phone: '+254700000010', value: 90, callbackUrl });
    simulator.faults.once('create-429');
    await client.pay({ phone: '+254700000001', callbackUrl }).catch(() => undefined);
    receiver.answers = [503];
    await simulator.payTill({ tillNumber: '514459', phoneNumber: '+254700000077', amount: 350 });
    simulator.faults.once('delay');
    await go('/control');
    await page.getByText('webhook buygoods').first().waitFor();
    await picture('activity');
    await page.locator('summary').filter({ hasText: 'webhook buygoods' }).first().click();
    await page.getByRole('button', { name: 'Resend' }).waitFor();
    await picture('delivery');
    await go('/control/faults');
    await page.getByText('1 pending').first().waitFor();
    await picture('faults');
    const closed = page.locator('.faults__group:not([open]) > summary');
    while ((await closed.count()) > 0) await closed.first().click();
    await picture('faults-all');
    await go('/control/money');
    await page.getByText('till:514459').waitFor();
    await picture('money');
    simulator.merchants.add({ name: 'shop-7', tillNumbers: ['700007'] });
    await go('/control/connect?merchant=shop-7');
    await picture('connect');
    await go('/control');
    await page.getByText('webhook buygoods').first().waitFor();
    await picture('activity-merchants', false);

    await client.post('/api/v2/payment_links', {
      till_number: '514459',
      currency: 'KES',
      amount: 250,
      note: 'Shoes',
      _links: { callback_url: callbackUrl },
    });
    await simulator.idle();
    await go(`/links/${simulator.links()[0]!.linkId}`);
    await picture('link');
    expect(simulator.charges()).not.toEqual([]);
  });
});
