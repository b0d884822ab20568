import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ShutdownSignal } from '../runtime/shutdown-signal.js';
import { accountsOf, SETTINGS } from '../testing/ledger.fixture.js';
import { MovedRuntime } from '../testing/moved.runtime.js';
import type { TillSweeper } from '../tills/till-sweeper.js';
import { WebhookConfirmations } from './webhook-transactions.service.js';

Logger.overrideLogger(false);

const SPAN_MS = 10 * 60_000;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the confirmations of webhooks of two accounts', () => {
  const read: string[] = [];
  let answer = (): void => undefined;

  /** The platform of `first` answers when the test says so; that of `second` at once. */
  const sweeper = {
    sweep: async (account: string) => {
      read.push(account);
      if (account === 'first') await new Promise<void>((resolve) => (answer = resolve));
      return true;
    },
  } as unknown as TillSweeper;

  const accounts = accountsOf(
    { ...SETTINGS, account: 'first', path: 'first' },
    { ...SETTINGS, account: 'second', path: 'second' },
  );

  it.each([
    ['whose platform does not answer', 1],
    ['that has more spans than may wait', 500],
  ])("read the second account's platform beside a first account %s", async (_, spans) => {
    read.length = 0;
    const shutdown = new ShutdownSignal();
    const confirmations = new WebhookConfirmations(sweeper, shutdown, accounts, new MovedRuntime());
    for (let n = 0; n < spans; n += 1) confirmations.request('first', new Date(n * SPAN_MS), 0);
    confirmations.request('second', new Date(0), 0);
    await turn();
    expect(read).toEqual(['first', 'second']);
    shutdown.close();
    answer();
    await confirmations.onModuleDestroy();
  });
});

describe('the confirmations of webhooks that no read confirms', () => {
  const runtime = new MovedRuntime();
  runtime.elapsed = () => runtime.now();
  const at = new Date(0);
  let reads = 0;
  let listing = async (): Promise<boolean> => true;
  const sweeper = {
    sweep: () => {
      reads += 1;
      return listing();
    },
  } as unknown as TillSweeper;
  let confirmations: WebhookConfirmations;

  const isRead = async (ageMs: number): Promise<boolean> => {
    const before = reads;
    confirmations.request('default', at, ageMs);
    await turn();
    return reads > before;
  };

  beforeEach(() => {
    const accounts = accountsOf({ ...SETTINGS, account: 'default', path: 'default' });
    confirmations = new WebhookConfirmations(sweeper, new ShutdownSignal(), accounts, runtime);
    listing = async () => true;
  });

  it('read their span again only when they are a quarter older, however many wait', async () => {
    let count = 0;
    for (let ageMs = 60_000; ageMs < 24 * 60 * 60_000; ageMs += 6_000) {
      if (await isRead(ageMs)) count += 1;
      runtime.advance(6_000);
    }
    expect(count).toBeGreaterThan(20);
    expect(count).toBeLessThan(40);
  });

  it('read their span at once for a webhook that arrives after the last read', async () => {
    await isRead(60_000);
    runtime.advance(100);
    expect(await isRead(60_000)).toBe(false);
    expect(await isRead(50)).toBe(true);
  });

  it('read their span again at once when the read failed', async () => {
    listing = () => Promise.reject(new Error('503'));
    expect(await isRead(60_000)).toBe(true);
    expect(await isRead(60_000)).toBe(true);
  });
});
