import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OpenShop } from './shop.fixture.js';

describe('The event streams of the shop', () => {
  let shop: OpenShop;

  beforeAll(async () => {
    shop = await OpenShop.open();
  });

  afterAll(() => shop.close());

  const leaving = new Set<AbortController>();
  // Node cancels a response that is garbage-collected.
  const kept = new Set<Response>();
  const open = async (path: string): Promise<number> => {
    const abort = new AbortController();
    leaving.add(abort);
    const response = await fetch(shop.url + path, { signal: abort.signal });
    kept.add(response);
    return response.status;
  };
  const leave = (): void => {
    for (const abort of leaving) abort.abort();
    leaving.clear();
    kept.clear();
  };
  const openMany = (path: string, count: number): Promise<number[]> =>
    Promise.all(Array.from({ length: count }, () => open(path)));
  const count = (statuses: readonly number[], wanted: number): number =>
    statuses.filter((status) => status === wanted).length;

  /** Returns the path of an order whose customer has not answered. */
  const order = async (): Promise<string> => {
    const path = await shop.buy({ phone: shop.customer('14').phone });
    await shop.pageWith(path, 'Check your phone');
    return path;
  };

  it('are limited for one order, which is answered 429, and its page works without a stream', async () => {
    const path = await order();
    const statuses = await openMany(`${path}/events`, 60);
    expect([count(statuses, 200), count(statuses, 429)]).toEqual([8, 52]);
    expect((await shop.get(path)).text).toContain('Check your phone');
    expect(await open(`${await order()}/events`)).toBe(200);
    leave();
  });

  it('are open to others as soon as their readers leave, also readers that leave at once', async () => {
    const path = await order();
    for (let round = 0; round < 20; round += 1) {
      const requests = openMany(`${path}/events`, 8).catch(() => undefined);
      if (round % 2 === 0) await requests;
      leave();
      await requests;
    }
    let status = 429;
    while (status === 429) status = await open(`${path}/events`);
    expect(status).toBe(200);
    leave();
  });

  it('are limited for one address', async () => {
    const paths = await Promise.all(Array.from({ length: 7 }, order));
    let statuses: number[] = [];
    // Streams of earlier tests may not have ended yet.
    do {
      leave();
      statuses = (await Promise.all(paths.map((path) => openMany(`${path}/events`, 8)))).flat();
    } while (count(statuses, 200) < 40);
    expect([count(statuses, 200), count(statuses, 429)]).toEqual([40, 16]);
    leave();
  });

  it('end after the last change, and then count no more', async () => {
    const customer = shop.customer('14');
    const path = await shop.buy({ phone: customer.phone });
    const reading = Array.from({ length: 8 }, () =>
      shop.sectionsUntil(`${path}/events`, 'Paid. Asante!'),
    );
    await customer.approve();
    await Promise.all(reading);
    let status = 429;
    while (status === 429) status = await open(`${path}/events`);
    expect(status).toBe(200);
    leave();
  });

  it('show the till to several readers', async () => {
    const path = await shop.buy({ phone: '0700000001' });
    await shop.pageWith(path, 'Paid. Asante!');
    const readers = Array.from({ length: 3 }, () => shop.sectionsUntil('/till/events', 'KES 650'));
    for (const sections of await Promise.all(readers)) expect(sections.length).toBeGreaterThan(0);
  });
});
