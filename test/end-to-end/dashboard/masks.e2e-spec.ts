import { describe, expect, it } from '@jest/globals';
import { phoneHash } from '@tillkit/payments/store';
import { PLATFORMS } from '../../support/platforms.js';
import { until } from '../../support/until.js';
import { DashboardHost, PHONE } from './dashboard.fixture.js';

describe.each(PLATFORMS)('A phone number in a text on $platform', (platform) => {
  const host = new DashboardHost(platform);

  /** Of these pages and files, those that show the digits. */
  async function showing(digits: string, paths: readonly string[]): Promise<string[]> {
    const seen: string[] = [];
    for (const path of paths) {
      const { status, text } = await host.dashboard.get(path);
      expect({ path, status }).toEqual({ path, status: 200 });
      if (text.includes(digits)) seen.push(path);
    }
    return seen;
  }

  const pagesOf = (id: string): string[] => [
    '/payments',
    '/payments.csv',
    `/payments/${id}`,
    `/refunds/new?payment=${id}`,
    '/dead-letters',
    '/deliveries',
    '/deliveries.csv',
  ];

  it('is masked in an order number, also when it is of another person than the customer', async () => {
    await host.open();
    const id = await host.paid({ idempotencyKey: 'order-0711222333' });
    expect(await showing('711222333', pagesOf(id))).toEqual([]);
    expect((await host.dashboard.post(`/payments/${id}/phone`)).text).toContain('order-0711222333');
  });

  it('stays masked in an order number when the personal data of the customer is removed', async () => {
    await host.open();
    const id = await host.paid({ idempotencyKey: 'till-0700000001-7' });
    await host.merchant.simulator.idle();
    const person = {
      digits: PHONE.slice(1),
      hash: phoneHash(PHONE)!,
      from: new Date(0),
      to: new Date(Date.now() + 60_000),
      refunds: [],
    };
    await until(async () => {
      await host.merchant.store.retention.redactOf('default', person);
      return (await host.merchant.payments.find(id))?.subscriber.phoneNumber === '';
    });
    expect(await showing('700000001', pagesOf(id))).toEqual([]);
    expect((await host.dashboard.get('/payments.csv')).text).toContain('till-••••••••01-7');
  });

  it('leaves order numbers of 13 digits as they are', async () => {
    await host.open();
    const id = await host.paid({ idempotencyKey: '1767225600123' });
    const paths = ['/payments', '/payments.csv', `/payments/${id}`];
    expect(await showing('1767225600123', paths)).toEqual(paths);
  });
});
