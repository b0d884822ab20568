import { it } from '@jest/globals';
import { TestBrowser } from '../browser.fixture.js';

const browser = new TestBrowser();

it('fails on purpose', async () => {
  const page = await browser.page();
  await page.setContent('<h1>What the test saw</h1>');
  throw new Error('on purpose');
});

it('passes', async () => {
  await browser.page();
});
