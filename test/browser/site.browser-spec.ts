import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Page } from 'playwright-core';
import { SiteServer } from '../support/site.server.js';
import { IS_THOROUGH } from '../support/thorough.js';
import { TestBrowser } from './browser.fixture.js';

const ROOT = join(import.meta.dirname, '..', '..');
const IMAGES = join(ROOT, 'docs', 'images');

/** The site is not at the root of its host here: what works below a path works everywhere. */
const BASE = '/tillkit/';

/** Pages that stand for a kind: pictures, tables, code, reference. */
const MAIN = [
  'index',
  'first-payment',
  'events',
  'exactly-once',
  'from-k2-connect-node',
  'production',
  'promises',
  'security',
  'testing',
  'troubleshooting',
  'packages/simulator',
  'api/@tillkit/payments/classes/PaymentsService',
];

const DESKTOP = { viewport: { width: 1280, height: 900 } };
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, deviceScaleFactor: 2 };

jest.setTimeout(600_000);

describe('the documentation site', () => {
  const browser = new TestBrowser();
  let server: SiteServer;
  let folder: string;
  /** Paths of all pages, without `.html`. */
  let pages: string[];

  beforeAll(async () => {
    // The gate has built it just before.
    folder = process.env['SITE_FOLDER'] ?? (await built());
    pages = (await readdir(folder, { recursive: true }))
      .filter((path) => path.endsWith('.html') && path !== '404.html')
      .map((path) => path.replace(/\.html$/, ''))
      .toSorted();
    server = await SiteServer.start(folder, BASE);
  });

  afterAll(async () => {
    await server?.close();
    if (!process.env['SITE_FOLDER']) await rm(folder, { recursive: true, force: true });
  });

  async function built(): Promise<string> {
    const output = await mkdtemp(join(tmpdir(), 'tillkit-site-'));
    await promisify(execFile)(process.execPath, ['scripts/site.mjs'], {
      cwd: ROOT,
      env: { ...process.env, DOCS_BASE: BASE, DOCS_OUTPUT: output },
      maxBuffer: 64_000_000,
    });
    return output;
  }

  /** Collects the requests of a page that failed, or went to another host. */
  function wrongRequests(page: Page): string[] {
    const wrong: string[] = [];
    page.on('requestfailed', (request) => {
      const error = request.failure()?.errorText;
      // The test leaves a page while its browser still loads the icon.
      if (error !== 'net::ERR_ABORTED') wrong.push(`${request.url()} ${error}`);
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(server.url) && !url.startsWith('data:')) wrong.push(`${url} is not ours`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) wrong.push(`${response.url()} ${response.status()}`);
    });
    return wrong;
  }

  const open = async (page: Page, path: string): Promise<void> => {
    await page.goto(`${server.url}/${path}.html`);
    await page.locator('h1').first().waitFor();
  };

  /**
   * Returns one page of each kind. With TILLKIT_THOROUGH=1, which takes minutes, it returns all pages, but only the first of the decisions and of
   * each kind in the reference: the others look alike.
   */
  function visited(): readonly string[] {
    if (!IS_THOROUGH) return MAIN;
    const seen = new Set<string>();
    return pages.filter((path) => {
      const folder = /^(api|decisions)\//.test(path) ? path.replace(/[^/]*$/, '') : path;
      const isNew = !seen.has(folder);
      seen.add(folder);
      return isNew || MAIN.includes(path);
    });
  }

  it('has all pages of the sidebar, and the reference', () => {
    expect(pages).toEqual(expect.arrayContaining(MAIN));
    expect(pages.length).toBeGreaterThan(300);
  });

  it('asks no other host, fits on a phone, and has one heading of the first level on its pages', async () => {
    const page = await browser.page(PHONE);
    const wrong = wrongRequests(page);
    const shapes: [path: string, headings: number, width: number][] = [];
    for (const path of visited()) {
      await open(page, path);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      shapes.push([path, await page.locator('h1').count(), width]);
    }
    expect(shapes.filter(([, headings, width]) => headings !== 1 || width > 360)).toEqual([]);
    expect(wrong).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'has no accessibility violation in %s colours',
    async (colorScheme) => {
      const page = await browser.page({ ...DESKTOP, colorScheme, reducedMotion: 'reduce' });
      const found: [string, string[]][] = [];
      for (const path of visited()) {
        await open(page, path);
        const isFirst = colorScheme === 'light';
        const violations = await (isFirst
          ? browser.violations(page)
          : browser.violationsOfColour(page));
        found.push([path, violations]);
      }
      expect(found.filter(([, violations]) => violations.length > 0)).toEqual([]);
    },
  );

  it('finds a page by a word of it', async () => {
    const page = await browser.page(DESKTOP);
    const wrong = wrongRequests(page);
    await open(page, 'index');
    // The button works once Vue has mounted the page.
    await page.waitForFunction(`'__vue_app__' in document.querySelector('#app')`);
    await page
      .getByRole('button', { name: /search/i })
      .first()
      .click();
    await page.getByRole('searchbox').fill('PAYMENTS_UNKNOWN_OUTCOME');
    await page.getByRole('option').first().waitFor();
    await page.getByRole('option').first().click();
    await page.waitForURL(/troubleshooting\.html#payments_unknown_outcome$/);
    expect(wrong).toEqual([]);
  });

  it('answers an unknown path with a page that leads back', async () => {
    const page = await browser.page(DESKTOP);
    const response = await page.goto(`${server.url}/no/such/page.html`);
    expect(response?.status()).toBe(404);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await page.getByRole('link', { name: 'go to home' }).click();
    await page.waitForURL(`${server.url}/`);
  });

  const itWhenAsked = process.env['SCREENSHOTS'] ? it : it.skip;

  itWhenAsked.each([
    ['desktop', { ...DESKTOP, reducedMotion: 'reduce' }],
    ['desktop-dark', { ...DESKTOP, colorScheme: 'dark', reducedMotion: 'reduce' }],
    ['phone', { ...PHONE, reducedMotion: 'reduce' }],
    ['phone-dark', { ...PHONE, colorScheme: 'dark', reducedMotion: 'reduce' }],
  ] as const)('is shown by screenshots on a %s', async (screen, options) => {
    await mkdir(IMAGES, { recursive: true });
    const page = await browser.page(options);
    for (const path of MAIN) {
      await open(page, path);
      const name = path.replace(/.*\//, '');
      await page.screenshot({ path: join(IMAGES, `site-${name}-${screen}.png`), fullPage: true });
    }
  });
});
