import { describe, expect, it } from '@jest/globals';
import { MemoryStore } from '@tillkit/payments';
import { anEvent, aDelivery, commitEvents } from '../../../../test/contracts/store-under-test.js';
import { NewsReader } from './news.reader.js';

const ACCOUNT = 'shop-1';

describe('The news of a store', () => {
  let now = Date.UTC(2026, 10, 25);
  const store = new MemoryStore(() => now);
  const write = async (name: string): Promise<void> => {
    await commitEvents(store, ACCOUNT, anEvent(ACCOUNT, name));
  };
  const streams = async (reader: NewsReader): Promise<string[]> =>
    (await reader.next()).map((news) =>
      news.kind === 'event' ? news.event.stream : `${news.delivery.id} ${news.delivery.state}`,
    );

  it('list what came since the start of the reader, each entry once and in order, also when it fills more than a page', async () => {
    // Each look goes back over a time that has more than one page.
    for (let n = 0; n < 250; n += 1) await write(`old-${n}`);
    const reader = new NewsReader(store, ACCOUNT);
    await reader.begin();
    expect(await streams(reader)).toEqual([]);
    now += 1_000;
    const names = Array.from({ length: 250 }, (_, n) => `new-${n}`);
    for (const name of names) {
      now += 1;
      await write(name);
    }
    expect(await streams(reader)).toEqual(names);
    expect(await streams(reader)).toEqual([]);
  });

  it('include a row that was committed after a newer row', async () => {
    const reader = new NewsReader(store, ACCOUNT);
    await reader.begin();
    now += 20_000;
    await write('newer');
    expect(await streams(reader)).toEqual(['newer']);
    now -= 5_000;
    await write('late');
    now += 5_000;
    expect(await streams(reader)).toEqual(['late']);
  });

  it('list a delivery a second time when it is processed, however long that takes', async () => {
    const reader = new NewsReader(store, ACCOUNT);
    await reader.begin();
    const delivery = aDelivery(ACCOUNT, { id: 'slow' });
    const { claimed } = await store.deliveries.store(delivery, 600_000);
    expect(await streams(reader)).toEqual(['slow pending']);
    now += 300_000;
    await write('meanwhile');
    expect(await streams(reader)).toEqual(['meanwhile']);
    const claim = { account: ACCOUNT, id: 'slow', token: claimed?.token as string };
    await store.deliveries.finish(claim, { kind: 'done' });
    expect(await streams(reader)).toEqual(['slow done']);
    expect(await streams(reader)).toEqual([]);
  });
});
