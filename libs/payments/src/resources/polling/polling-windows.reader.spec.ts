import { describe, expect, it } from '@jest/globals';
import { BackgroundPacer, type BackgroundRequest } from '../../http/background.pacer.js';
import { ClosingSignal } from '../../http/closing.signal.js';
import { SETTINGS } from '../../testing/ledger.fixture.js';
import { SkippingRuntime } from '../../testing/skipping.runtime.js';
import type { CallbackUrls } from '../callback-urls.js';
import { readEnvelope } from '../resource-envelope.js';
import { PollingWindowsReader } from './polling-windows.reader.js';
import { readPolling } from './polling.resource.js';
import type { PollingService } from './polling.service.js';

describe('a window of transactions', () => {
  const read = (
    transactions: unknown,
    kind: BackgroundRequest = 'sweep',
    requestsPerSecond = SETTINGS.reconciliation.requestsPerSecond,
  ): Promise<unknown> => {
    const runtime = new SkippingRuntime();
    const closing = new ClosingSignal(runtime);
    const settings = {
      ...SETTINGS,
      reconciliation: { ...SETTINGS.reconciliation, requestsPerSecond },
    };
    const attributes = { status: 'Success', transactions };
    const envelope = readEnvelope({ data: { id: 'w', type: 'polling', attributes } });
    const polling = {
      send: async () => ({ id: 'w', location: '' }),
      get: async () => readPolling(envelope!),
    } as unknown as PollingService;
    const urls = { callback: () => 'https://shop.test/callback' } as unknown as CallbackUrls;
    const pacer = new BackgroundPacer(closing, settings, runtime);
    const reader = new PollingWindowsReader(polling, pacer, urls, closing, settings, runtime);
    return reader.read(new Date(0), new Date(1), kind);
  };

  it.each([[[]], [null], [undefined]])('without any is empty: %j', async (transactions) => {
    expect(await read(transactions)).toEqual([]);
  });

  it.each(['sweep', 'confirmation'] as const)(
    'is read for a %s also at a rate at which a turn comes later than anybody waits for one',
    async (kind) => {
      expect(await read([], kind, 0.2)).toEqual([]);
    },
  );

  it.each([[{ data: [] }], ['[]'], [7]])(
    'whose list cannot be read is not taken for an empty one: %j',
    async (transactions) => {
      await expect(read(transactions)).rejects.toThrow(/its transactions are no list/);
    },
  );
});
