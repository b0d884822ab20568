import { describe, expect, it } from '@jest/globals';
import { BackgroundPacer } from '../../http/background.pacer.js';
import { ClosingSignal } from '../../http/closing.signal.js';
import { SETTINGS } from '../../testing/ledger.fixture.js';
import { SkippingRuntime } from '../../testing/skipping.runtime.js';
import type { CallbackUrls } from '../callback-urls.js';
import { readEnvelope } from '../resource-envelope.js';
import { PollingWindowsReader } from './polling-windows.reader.js';
import { readPolling } from './polling.resource.js';
import type { PollingService } from './polling.service.js';

describe('a window of transactions', () => {
  const read = (transactions: unknown): Promise<unknown> => {
    const runtime = new SkippingRuntime();
    const closing = new ClosingSignal(runtime);
    const attributes = { status: 'Success', transactions };
    const envelope = readEnvelope({ data: { id: 'w', type: 'polling', attributes } });
    const polling = {
      send: async () => ({ id: 'w', location: '' }),
      get: async () => readPolling(envelope!),
    } as unknown as PollingService;
    const urls = { callback: () => 'https://shop.test/callback' } as unknown as CallbackUrls;
    const pacer = new BackgroundPacer(closing, SETTINGS, runtime);
    const reader = new PollingWindowsReader(polling, pacer, urls, closing, SETTINGS, runtime);
    return reader.read(new Date(0), new Date(1));
  };

  it.each([[[]], [null], [undefined]])('without any is empty: %j', async (transactions) => {
    expect(await read(transactions)).toEqual([]);
  });

  it.each([[{ data: [] }], ['[]'], [7]])(
    'whose list cannot be read is not taken for an empty one: %j',
    async (transactions) => {
      await expect(read(transactions)).rejects.toThrow(/its transactions are no list/);
    },
  );
});
