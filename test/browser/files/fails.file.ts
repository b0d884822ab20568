import { afterAll, afterEach, beforeAll, it } from '@jest/globals';
import { TestBrowser } from '../browser.fixture.js';

let browser: TestBrowser;
beforeAll(async () => {
  browser = await TestBrowser.launch();
});
afterEach(() => browser.leave());
afterAll(() => browser.close());

it('fails on purpose', async () => {
  const page = await browser.page();
  await page.setContent('<h1>What the test saw</h1>');
  throw new Error('on purpose');
});

it('passes', async () => {
  await browser.page();
});
