import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AxeResults, RunOptions } from 'axe-core';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { IS_THOROUGH } from '../support/thorough.js';

/** Git ignores this folder. */
const FAILURES = fileURLToPath(new URL('../../dist/browser-failures', import.meta.url));

const DESKTOP = { viewport: { width: 1280, height: 800 } };
const SMALL_PHONE = { viewport: { width: 320, height: 640 }, isMobile: true };
const ALL_SCREENS = [
  { screen: 'a desktop, light', options: { ...DESKTOP, colorScheme: 'light' } },
  { screen: 'a small phone, dark', options: { ...SMALL_PHONE, colorScheme: 'dark' } },
  { screen: 'a desktop, dark', options: { ...DESKTOP, colorScheme: 'dark' } },
  { screen: 'a small phone, light', options: { ...SMALL_PHONE, colorScheme: 'light' } },
] as const;

/** Each width and each colour scheme is shown once; with TILLKIT_THOROUGH=1, all pairs of them. */
export const SCREENS = IS_THOROUGH ? ALL_SCREENS : ALL_SCREENS.slice(0, 2);

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Ends only what hangs: a little less than Jest's `testTimeout`, so that the error says what the page was waited for. */
const LONGEST_WAIT_MS = 290_000;

/** A Chromium for the tests of a file, which records every error that a page writes to the console. Each test leaves it. */
export class TestBrowser {
  private readonly complaints: string[] = [];
  private readonly contexts: BrowserContext[] = [];

  private browser: Browser | undefined;
  private axe: string;

  constructor() {
    beforeAll(() => this.launch());
    afterEach(() => this.leave());
    afterAll(() => this.browser?.close());
  }

  private async launch(): Promise<void> {
    this.browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ARGUMENTS,
      timeout: LONGEST_WAIT_MS,
    });
    this.axe = await readFile(
      createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
      'utf8',
    );
    Object.assign(globalThis, { keepFailure: (test: string) => this.keep(test) });
  }

  /** Keeps what a test that has failed saw on each page. `npx playwright-core show-trace <file>` opens a trace. */
  private async keep(test: string): Promise<void> {
    for (const [index, context] of this.contexts.entries()) {
      const path = join(FAILURES, `${test.replace(/\W+/g, '-').slice(0, 150)}-${index + 1}`);
      await context
        .pages()
        .at(-1)
        ?.screenshot({ path: `${path}.png`, fullPage: true });
      await context.tracing.stop({ path: `${path}.zip` });
      process.stderr.write(`"${test}" has failed:\n${path}.png\n${path}.zip\n`);
    }
  }

  /** Opens a page in its own profile. In another time zone than the server's, the dashboard loads a page a second time, perhaps while a test uses it. */
  async page(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser!.newContext({ timezoneId: 'UTC', ...options });
    context.setDefaultTimeout(LONGEST_WAIT_MS);
    this.contexts.push(context);
    await context.tracing.start({ snapshots: true });
    const page = await context.newPage();
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      const text = message.text();
      // Chromium also logs intended 4xx answers as errors.
      if (message.type() === 'error' && !text.startsWith('Failed to load resource')) {
        this.complaints.push(text);
      }
    });
    return page;
  }

  /**
   * Returns the violations that axe finds on a page, by rule and element. It runs from outside, so that the page keeps its Content-Security-Policy.
   */
  violations(page: Page): Promise<string[]> {
    return this.run(page, AXE_OPTIONS);
  }

  /** Checks the rules about colours only, for a page that was checked in another colour scheme before. */
  violationsOfColour(page: Page): Promise<string[]> {
    return this.run(page, { runOnly: { type: 'rule', values: ['color-contrast'] } });
  }

  private async run(page: Page, rules: RunOptions): Promise<string[]> {
    // The element that a test waits for may be there before the styles are.
    await page.waitForLoadState();
    await page.evaluate(this.axe);
    const results = await page.evaluate((options) => {
      const { axe } = globalThis as unknown as {
        axe: { run: (options: RunOptions) => Promise<AxeResults> };
      };
      return axe.run(options);
    }, rules);
    return results.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
    );
  }

  /**
   * Closes every page. An open page would go on polling, perhaps at the server of the next test.
   * @throws Error when a page has logged an error since the last call
   */
  private async leave(): Promise<void> {
    await Promise.all(this.contexts.splice(0).map((context) => context.close()));
    const complaints = this.complaints.splice(0);
    if (complaints.length > 0) throw new Error(`the pages complain:\n${complaints.join('\n')}`);
  }
}

const AXE_OPTIONS: RunOptions = {
  resultTypes: ['violations'],
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
