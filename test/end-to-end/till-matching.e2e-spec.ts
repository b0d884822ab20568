import { afterEach, describe, expect, it } from '@jest/globals';
import { type PaymentsOptions } from '@tillkit/payments';
import { anomaliesOf } from '../support/anomalies.js';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { aRequestFrom, Merchant } from '../support/merchant.js';
import { until } from '../support/until.js';
import { WatchedDeliveries } from '../support/watched.deliveries.js';

const HANDSET = '+254700000014';

describe('Money at a till', () => {
  let merchant: Merchant;
  let watched: WatchedDeliveries;

  const open = async (payments: PaymentsOptions = {}): Promise<Merchant> => {
    watched = new WatchedDeliveries();
    merchant = await Merchant.open({ payments: watched.options(payments) });
    return merchant;
  };

  afterEach(() => merchant.close());

  const webhook = (resource: Record<string, unknown>): Promise<unknown> =>
    deliverSigned(
      merchant.webhookUrl,
      webhookBody({ sender_phone_number: HANDSET, ...resource }),
      merchant.simulator.apiKey,
    );

  it('causes an event without a payment when the payment of its payer has no outcome after ten seconds', async () => {
    await open();
    const { id } = await merchant.payments.request(aRequestFrom(HANDSET));
    await webhook({ reference: 'WAITS' });
    await watched.processed(({ lastError }) => lastError?.includes('has no outcome yet') === true);
    expect(merchant.received.events).toEqual([]);
    watched.offsetMs = 11_000;
    expect((await merchant.received.next('till.transaction.received')).paymentId).toBeNull();
    expect(await merchant.payments.find(id)).toMatchObject({ state: 'pending' });
  });

  it('waits for a payment that is being sent', async () => {
    await open({ http: { createTimeoutMs: 3_000 } });
    merchant.simulator.faults.once('create-never-answers');
    void merchant.payments.request(aRequestFrom(HANDSET)).catch(() => undefined);
    while (merchant.simulator.charges().length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    await webhook({ reference: 'WAITS' });
    await watched.processed(({ lastError }) => lastError?.includes('has no outcome yet') === true);
    expect(merchant.received.events).toEqual([]);
  });

  it('waits while the platform cannot say what became of the payment', async () => {
    await open();
    await merchant.payments.request(aRequestFrom(HANDSET));
    merchant.simulator.faults.rate('read-404', 1);
    await webhook({ reference: 'WAITS' });
    await watched.processed(({ lastError }) => lastError?.includes('has no outcome yet') === true);
    expect(merchant.received.events).toEqual([]);
  });

  it.each([
    ['payer is somebody else', { sender_phone_number: '+254700000099' }],
    [
      'payer is the hash of somebody else',
      { hashed_sender_phone: 'a'.repeat(64), sender_phone_number: null },
    ],
    ['amount is another', { amount: '55.0' }],
  ])('waits for no payment when its %s', async (_, resource) => {
    await open();
    await merchant.payments.request(aRequestFrom(HANDSET));
    await webhook({ reference: 'NOW', ...resource });
    expect(await merchant.received.next('till.transaction.received')).toMatchObject({
      paymentId: null,
      via: 'webhook',
    });
  });

  it.each([
    ['amount', 'cannot be read', { amount: 'much' }],
    ['currency', 'is missing', { currency: null }],
  ])('causes no event and is an anomaly when its %s %s', async (field, _, resource) => {
    await open();
    await webhook({ reference: 'ODD', ...resource });
    await webhook({ reference: 'EVEN' });
    const { transaction } = await merchant.received.next('till.transaction.received');
    expect(transaction.reference).toBe('EVEN');
    const store = merchant.store;
    await until(async () => (await anomaliesOf(store)).length > 0);
    expect(await anomaliesOf(store)).toMatchObject([
      { what: `transaction with an unreadable ${field}`, example: 'ODD' },
    ]);
  });

  it('waits at most ten seconds for a payment of unknown outcome', async () => {
    await open();
    merchant.simulator.faults.once('create-5xx-before-commit');
    expect(await merchant.payments.request(aRequestFrom(HANDSET))).toMatchObject({
      state: 'unknown',
    });
    await webhook({ reference: 'WAITS' });
    await watched.processed(({ lastError }) => lastError?.includes('has no outcome yet') === true);
    expect(merchant.received.events).toEqual([]);
    watched.offsetMs = 11_000;
    expect((await merchant.received.next('till.transaction.received')).paymentId).toBeNull();
  });
});
