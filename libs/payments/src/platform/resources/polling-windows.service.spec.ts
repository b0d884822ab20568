import { describe, expect, it } from '@jest/globals';
import type { BackgroundRequest } from '../../runtime/limits.js';
import { ShutdownSignal } from '../../runtime/shutdown-signal.js';
import { SETTINGS, accountsOf, backgroundOf, resourcesWith } from '../../testing/ledger.fixture.js';
import { SkippingRuntime } from '../../testing/skipping.runtime.js';
import type { CallbackUrls } from '../callback-urls.js';
import { readEnvelope } from '../wire-value.js';
import { PollingWindowsService } from './polling-windows.service.js';
import { readResource } from '../resource-table.js';
import { POLLING } from './polling.service.js';

const EMPTY = { transactions: [], unread: 0 };

describe('a window of transactions', () => {
  const read = (
    transactions: unknown,
    kind: BackgroundRequest = 'sweep',
    requestsPerSecond = SETTINGS.reconciliation.requestsPerSecond,
  ): Promise<unknown> => {
    const runtime = new SkippingRuntime();
    const shutdown = new ShutdownSignal(runtime);
    const settings = {
      ...SETTINGS,
      reconciliation: { ...SETTINGS.reconciliation, requestsPerSecond },
    };
    const attributes = { status: 'Success', transactions };
    const envelope = readEnvelope({ data: { id: 'w', type: 'polling', attributes } });
    const polling = {
      post: async () => ({ id: 'w', location: '' }),
      get: async () => readResource(POLLING, envelope!),
    };
    const urls = { callback: () => 'https://shop.test/callback' } as unknown as CallbackUrls;
    const accounts = accountsOf(settings);
    const reader = new PollingWindowsService(
      resourcesWith({ polling }),
      backgroundOf({ shutdown, accounts }, runtime),
      urls,
      accounts,
      shutdown,
      runtime,
    );
    return reader.read('default', new Date(0), new Date(1), kind);
  };

  it('without a transaction is an empty list', async () => {
    expect(await read([])).toEqual(EMPTY);
  });

  it.each(['sweep', 'hint'] as const)(
    'is read for a %s even at a rate so low that a turn comes after the maximum wait',
    async (kind) => {
      expect(await read([], kind, 0.2)).toEqual(EMPTY);
    },
  );

  it.each([[{ data: [] }], ['[]'], [7], [null], [undefined]])(
    'whose list is %j is an error, and not an empty list',
    async (transactions) => {
      await expect(read(transactions)).rejects.toThrow(/its transactions are no list/);
    },
  );
});
