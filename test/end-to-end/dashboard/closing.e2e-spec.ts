import { once } from 'node:events';
import { get, type ClientRequest, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MemoryStore } from '@tillkit/payments';
import { aPayment, recorded } from '../../contracts/store-under-test.js';
import { altered } from '../../support/altered.store.js';
import { captureLog } from '../../support/dashboard.visitor.js';
import { PLATFORMS } from '../../support/platforms.js';
import { until } from '../../support/until.js';
import { DashboardHost } from './dashboard.fixture.js';

/** Rows that the dashboard reads at once for a file. */
const ROWS_AT_ONCE = 1_000;

/** This is more than the buffers of a connection hold. */
const BUFFERED = 20;

describe.each(PLATFORMS)('A file on $platform, when the application closes,', (platform) => {
  const host = new DashboardHost(platform);
  let request: ClientRequest | undefined;
  let reads = 0;

  afterEach(() => {
    request?.destroy();
  });

  /** Opens the dashboard with a list of payments that never ends. */
  async function opened(): Promise<void> {
    reads = 0;
    const store = new MemoryStore();
    const payment = await recorded(store, aPayment('default'));
    altered(store, {
      operations: {
        list:
          (original) =>
          async (...args) => {
            const [, , { limit }] = args;
            if (limit !== ROWS_AT_ONCE) return original(...args);
            reads += 1;
            // A database takes a turn of the event loop as well.
            await new Promise((resolve) => setImmediate(resolve));
            const items = Array.from({ length: limit }, () => payment);
            return { items, next: String(reads) };
          },
      },
    });
    await host.open({ payments: { store } });
  }

  it.each(['reads it', 'has paused'])(
    'breaks off, so that the application waits for no browser that %s, and the browser takes no part for the whole',
    async (what) => {
      await opened();
      const log = captureLog();
      request = get(`${host.dashboard.url}/payments.csv`, { agent: false });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      const failed = new Promise((resolve) => response.once('error', resolve));
      if (what === 'reads it') response.resume();
      await until(() => reads >= (what === 'reads it' ? BUFFERED : 2));
      // If files were not broken off, this would wait for ever, and the test with it.
      await host.merchant.close();
      response.resume();
      await failed;
      expect(response.complete).toBe(false);
      const afterwards = reads;
      for (let turn = 0; turn < 100; turn += 1)
        await new Promise((resolve) => setImmediate(resolve));
      expect(reads).toBe(afterwards);
      expect(log.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );
});
