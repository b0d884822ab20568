import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { NewDelivery } from '../payments.store.js';
import { MemoryStore } from './memory.store.js';

const DAY = 86_400_000;
const ACCOUNT = 'default';

describe('the memory store', () => {
  let now: number;
  let store: MemoryStore;

  beforeEach(() => {
    now = Date.UTC(2026, 0, 20);
    store = new MemoryStore(() => now);
  });

  const delivery = (key: string = randomUUID()): NewDelivery => ({
    id: randomUUID(),
    account: ACCOUNT,
    key,
    kind: 'webhook',
    resource: null,
    resourceId: null,
    verifiedBy: 'signature',
    body: Buffer.from('{}'),
  });

  it('forgets the oldest finished deliveries once it keeps a thousand, and none that is waiting', async () => {
    const waiting = delivery();
    await store.storeDelivery(waiting);
    const [held] = await store.claimDeliveries(ACCOUNT, 'webhook', 1, DAY);
    const first = delivery();
    for (let n = 0; n <= 1_000; n += 1) {
      await store.storeDelivery(n === 0 ? first : delivery());
      const [claim] = await store.claimDeliveries(ACCOUNT, 'webhook', 1, DAY);
      if (claim) await store.finishDelivery(claim, { kind: 'done' });
    }
    expect(await store.findDelivery(ACCOUNT, first.id)).toBeNull();
    expect(await store.storeDelivery({ ...delivery(), key: first.key })).toEqual({
      duplicate: false,
    });
    expect(await store.findDelivery(ACCOUNT, waiting.id)).toMatchObject({ id: held?.id });
  });

  it('keeps a finished delivery that is being replayed, though it is the oldest', async () => {
    const first = delivery();
    await store.storeDelivery(first);
    const [claim] = await store.claimDeliveries(ACCOUNT, 'webhook', 1, DAY);
    if (claim) await store.finishDelivery(claim, { kind: 'done' });
    await store.replayDelivery(ACCOUNT, first.id);
    await store.claimDeliveries(ACCOUNT, 'webhook', 1, DAY);
    for (let n = 0; n < 1_000; n += 1) {
      await store.storeDelivery(delivery());
      const [next] = await store.claimDeliveries(ACCOUNT, 'webhook', 1, DAY);
      if (next) await store.finishDelivery(next, { kind: 'done' });
    }
    expect(await store.findDelivery(ACCOUNT, first.id)).toMatchObject({ state: 'pending' });
  });

  it('renews no claims where there are none', async () => {
    expect(await store.renewCalls([], DAY)).toEqual([]);
  });

  it('saves no sweep before one was begun, nor of whoever does not hold it', async () => {
    const progress = { watermark: new Date(now), recoveredAt: null };
    expect(await store.saveSweep(ACCOUNT, 'mine', progress)).toBe(false);
    await store.sweepProgress(ACCOUNT, new Date(now));
    expect(await store.saveSweep(ACCOUNT, 'mine', progress)).toBe(false);
    await store.claimSweep(ACCOUNT, 'mine', DAY);
    expect(await store.saveSweep(ACCOUNT, 'mine', progress)).toBe(true);
  });
});
