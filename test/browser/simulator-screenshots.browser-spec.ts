import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
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
    // A picture of an animation would differ each time.
    options: { ...options, colorScheme, reducedMotion: 'reduce' as const },
  })),
);

const PERSON = '+254700000014';
const OTHER_PERSON = '+254700000114';

describeWhenAsked('screenshots of the simulator', () => {
  const browser = new TestBrowser();
  let platform: Platform;

  beforeAll(() => mkdir(FOLDER, { recursive: true }));

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
    await page.getByText('Live: this page').waitFor();
    await picture('empty');
    await go('/?phone=0700');
    await picture('error');

    simulator.handset(OTHER_PERSON).receive({
      at: new Date(simulator.clock.now()).toISOString(),
      from: 'KIBANDA',
      text: 'Asante Wanjiru! We received KES 420.00 for Purple tea.',
    });
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
    await go(`/?phone=${PERSON}&phone=${OTHER_PERSON}`);
    await client.pay({ phone: PERSON, value: 650, callbackUrl });
    await page.getByRole('heading', { name: 'Pay KES 650.00?' }).waitFor();
    await picture('prompt', false);
    await page.locator('summary').filter({ hasText: 'webhook buygoods' }).first().click();
    await page.getByRole('button', { name: 'Resend' }).waitFor();
    await page.getByText('1 pending').waitFor();
    await picture('delivery');
    simulator.handset(PERSON).cancel();
    simulator.merchants.add({ name: 'shop-7', tillNumbers: ['700007'] });
    await go('/');
    await page.getByText('webhook buygoods').first().waitFor();
    await picture('merchants');

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
