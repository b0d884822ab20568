import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { OpenShop } from '../../sample-app/test/shop.fixture.js';
import { TestBrowser } from './browser.fixture.js';

const FOLDER = join(import.meta.dirname, '..', '..', 'docs', 'images');

/** Makes the screenshots of the documentation if SCREENSHOTS=1. */
const describeWhenAsked = process.env['SCREENSHOTS'] ? describe : describe.skip;

const SCREENS = [
  { screen: 'desktop', options: { viewport: { width: 1200, height: 800 } } },
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

describeWhenAsked('screenshots of the shop', () => {
  const browser = new TestBrowser();

  beforeAll(() => mkdir(FOLDER, { recursive: true }));

  it.each(SCREENS)('are made on a $screen', async ({ screen, options }) => {
    const shop = await OpenShop.open();
    // A picture of an animation would differ each time.
    const page = await browser.page({ ...options, reducedMotion: 'reduce' });
    const handset = shop.simulator.handset('+254700000014');
    const picture = (name: string, fullPage = false): Promise<unknown> =>
      page.screenshot({ path: join(FOLDER, `shop-${name}-${screen}.png`), fullPage });
    const answerPrompt = async (answer: 'approve' | 'cancel'): Promise<void> => {
      while (!handset.prompts().some(({ state }) => state === 'open')) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      handset[answer]();
    };

    await page.goto(shop.url);
    await picture('start', screen.startsWith('desktop'));
    await page.goto(`${shop.url}/goods/basket`);
    await page.getByLabel('Your name').fill('Wanjiru Kamau');
    await page.getByLabel('Phone number').fill('0700000014');
    await picture('checkout');
    await page.getByRole('button', { name: 'Pay' }).click();
    await page.getByText('Check your phone').first().waitFor();
    await picture('waiting', true);
    await answerPrompt('cancel');
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await picture('failed', true);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Check your phone').first().waitFor();
    await answerPrompt('approve');
    await page.getByRole('heading', { name: 'Paid. Asante!' }).waitFor();
    await picture('paid', true);
    await shop.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: '+254700000077',
      amount: 350,
      firstName: 'Amina',
      lastName: 'Yusuf',
    });
    await page.goto(`${shop.url}/till`);
    await page.getByText('Amina Y.', { exact: true }).waitFor();
    await page.getByText('SMS sent').nth(1).waitFor();
    await picture('till');
    await shop.close();
    expect(handset.inbox()).toHaveLength(1);
  });
});
