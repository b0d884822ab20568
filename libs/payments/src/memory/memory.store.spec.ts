import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { NewDelivery } from '../store/deliveries.store.js';
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

  it('deletes the oldest finished deliveries when it has more than a thousand, and no waiting ones', async () => {
    const waiting = delivery();
    await store.deliveries.store(waiting);
    const [held] = await store.deliveries.claim([ACCOUNT], 'webhook', 1, DAY);
    const first = delivery();
    for (let n = 0; n <= 1_000; n += 1) {
      await store.deliveries.store(n === 0 ? first : delivery());
      const [claim] = await store.deliveries.claim([ACCOUNT], 'webhook', 1, DAY);
      if (claim) await store.deliveries.finish(claim, { kind: 'done' });
    }
    expect(await store.deliveries.find(ACCOUNT, first.id)).toBeNull();
    expect(await store.deliveries.store({ ...delivery(), key: first.key })).toMatchObject({
      duplicate: false,
    });
    expect(await store.deliveries.find(ACCOUNT, waiting.id)).toMatchObject({ id: held?.id });
  });

  it('keeps a finished delivery that is being reprocessed, even if it is the oldest', async () => {
    const first = delivery();
    await store.deliveries.store(first);
    const [claim] = await store.deliveries.claim([ACCOUNT], 'webhook', 1, DAY);
    if (claim) await store.deliveries.finish(claim, { kind: 'done' });
    await store.deliveries.reprocess(ACCOUNT, first.id);
    await store.deliveries.claim([ACCOUNT], 'webhook', 1, DAY);
    for (let n = 0; n < 1_000; n += 1) {
      await store.deliveries.store(delivery());
      const [next] = await store.deliveries.claim([ACCOUNT], 'webhook', 1, DAY);
      if (next) await store.deliveries.finish(next, { kind: 'done' });
    }
    expect(await store.deliveries.find(ACCOUNT, first.id)).toMatchObject({ state: 'pending' });
  });

  it('renews nothing when there are no claims', async () => {
    expect(await store.events.renewCalls([], DAY)).toEqual([]);
  });

  it('saves no progress before the first sweep, or for an owner without the right to sweep', async () => {
    const progress = { watermark: new Date(now), recoveredAt: null, scope: 'company', unread: [] };
    expect(await store.sweeps.save(ACCOUNT, 'mine', progress)).toBe(false);
    await store.sweeps.progress(ACCOUNT, new Date(now));
    expect(await store.sweeps.save(ACCOUNT, 'mine', progress)).toBe(false);
    await store.sweeps.claim(ACCOUNT, 'mine', DAY);
    expect(await store.sweeps.save(ACCOUNT, 'mine', progress)).toBe(true);
  });
});
