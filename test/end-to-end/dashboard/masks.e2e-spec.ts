import { describe, expect, it } from '@jest/globals';
import { phoneHash } from '@tillkit/payments/internal/store';
import { deliverSigned, webhookBody } from '../../support/deliver.js';
import { until } from '../../support/until.js';
import { DashboardHost, PHONE } from './dashboard.fixture.js';

describe('A phone number in a text', () => {
  const host = new DashboardHost();

  /** Returns the pages and files among these that show the digits. */
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

  it('is masked in the name of a customer, unless the operator asks for it', async () => {
    await host.open();
    const id = await host.paid({
      subscriber: {
        firstName: '0711222333',
        lastName: '-',
        email: '254711222333@example.com',
        phoneNumber: PHONE,
      },
    });
    const { transaction } = (await host.merchant.payments.find(id))!;
    const paths = ['/transactions', '/transactions.csv', ...pagesOf(id)];
    const money = { till: '514459', reference: transaction!.reference! };
    const query = new URLSearchParams(money).toString();
    expect(
      await showing('711222333', [...paths, `/transaction?${query}`, `/refunds/new?${query}`]),
    ).toEqual([]);
    expect((await host.dashboard.post(`/payments/${id}/phone`)).text).toContain('>0711222333<');
  });

  it('is masked in the name of a payer whom only the platform knows, unless the operator asks for it', async () => {
    await host.open();
    const { webhookUrl, simulator, received } = host.merchant;
    const body = webhookBody({ reference: 'WALKED', sender_first_name: '0711222333' });
    await deliverSigned(webhookUrl, body, simulator.apiKey);
    await received.next('till.transaction.received');
    const money = { till: '514459', reference: 'WALKED' };
    const page = `/transaction?${new URLSearchParams(money).toString()}`;
    expect(await showing('711222333', ['/transactions', '/transactions.csv', page])).toEqual([]);
    expect((await host.dashboard.post('/transaction/phone', money)).text).toContain('0711222333');
  });

  it('is masked in the note of a pause, while it lasts and in its history', async () => {
    await host.open();
    await host.dashboard.post('/sending', { what: 'pause', note: 'call 0711222333' });
    expect(await showing('711222333', ['/sending', '/overview'])).toEqual([]);
    const page = await host.dashboard.get('/sending');
    expect(page.text.split('call ••••••••33')).toHaveLength(3);
  });

  it('leaves order numbers of 13 digits as they are', async () => {
    await host.open();
    const id = await host.paid({ idempotencyKey: '1767225600123' });
    const paths = ['/payments', '/payments.csv', `/payments/${id}`];
    expect(await showing('1767225600123', paths)).toEqual(paths);
  });
});
