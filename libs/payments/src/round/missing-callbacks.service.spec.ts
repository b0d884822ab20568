import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keepWarnings } from '../../../../test/support/warnings.js';
import type { DeliveryKind } from '../store/deliveries.store.js';
import type { PaymentRecord } from '../operations/payments/payment.js';
import { StoreUnavailableError } from '../payments.errors.js';
import { MemoryStore } from '../memory/memory.store.js';
import { aLedger } from '../testing/ledger.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { MissingCallbacksService } from './waiting-work.service.js';
import type { CallbackUrls } from '../platform/callback-urls.js';

const URLS = { root: () => 'https://shop.test/payments' } as unknown as CallbackUrls;

const DAY = 86_400_000;

describe('A payment that ended by a read', () => {
  let now: number;
  let store: MemoryStore;
  let service: MissingCallbacksService;
  const lines: string[] = [];

  beforeEach(() => {
    lines.length = 0;
    keepWarnings(lines);
    now = 1_000_000;
    store = new MemoryStore(() => now);
    const { accounts } = aLedger(store, {}, new SkippingRuntime());
    service = new MissingCallbacksService(store.deliveries, URLS, accounts);
  });
  afterEach(() => void Logger.overrideLogger(false));

  const read = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      now += 1_000;
      await service.settledByRead({
        account: 'default',
        createdAt: new Date(now),
      } as PaymentRecord);
    }
  };
  const receive = async (kind: DeliveryKind): Promise<void> => {
    now += 1_000;
    await store.deliveries.store({
      id: `d${now}`,
      account: 'default',
      key: `k${now}`,
      kind,
      resource: null,
      resourceId: null,
      verifiedBy: 'signature',
      body: Buffer.from('{}'),
    });
  };

  it('is reported once, after three such payments in a row without a callback', async () => {
    await read(2);
    expect(lines).toEqual([]);
    await read(20);
    expect(lines).toEqual([
      expect.stringMatching(/no callback has come.*\/callbacks: check PAYMENTS_PUBLIC_URL/),
    ]);
  });

  it('is reported with what a proxy or a firewall answers in our place: 403 and 413', async () => {
    await read(3);
    expect(lines).toEqual([
      expect.stringMatching(/the firewall's: 403 is a rule that stops our routes, 413 a limit/),
    ]);
  });

  it('is reported although webhooks come, because a proxy may forward only their path', async () => {
    for (let n = 0; n < 5; n += 1) {
      await receive('webhook');
      await read(1);
    }
    expect(lines).toHaveLength(1);
  });

  it('is not reported while callbacks come', async () => {
    for (let n = 0; n < 10; n += 1) {
      await read(2);
      await receive('callback');
    }
    expect(lines).toEqual([]);
  });

  it('is reported again in a second outage', async () => {
    await read(4);
    await receive('callback');
    now += 30 * DAY;
    await read(6);
    expect(lines).toHaveLength(2);
  });

  it('is not reported when too many webhooks came since then to know whether a callback came', async () => {
    await read(1);
    for (let n = 0; n < 201; n += 1) await receive('webhook');
    await read(2);
    expect(lines).toEqual([]);
  });

  it('is reported when the newest deliveries go back far enough to know that no callback came', async () => {
    for (let n = 0; n < 201; n += 1) await receive('webhook');
    await read(3);
    expect(lines).toHaveLength(1);
  });

  it('is not reported when the store is away', async () => {
    store.deliveries.list = () => Promise.reject(new StoreUnavailableError('away'));
    await read(10);
    expect(lines).toEqual([]);
  });
});
