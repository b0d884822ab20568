import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ShutdownSignal } from '../runtime/shutdown.signal.js';
import { accountsOf, SETTINGS } from '../testing/ledger.fixture.js';
import type { TillSweeper } from '../tills/till.sweeper.js';
import { WebhookConfirmations } from './webhook-confirmations.service.js';

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
    const confirmations = new WebhookConfirmations(sweeper, shutdown, accounts);
    for (let n = 0; n < spans; n += 1) confirmations.request('first', new Date(n * SPAN_MS));
    confirmations.request('second', new Date(0));
    await turn();
    expect(read).toEqual(['first', 'second']);
    shutdown.close();
    answer();
    await confirmations.onModuleDestroy();
  });
});
