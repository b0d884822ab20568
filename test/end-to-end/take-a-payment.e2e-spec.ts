import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aRequest, aRequestFrom, Merchant } from '../support/merchant.js';
import { PLATFORMS } from '../support/platforms.js';

describe.each(PLATFORMS)('taking a payment on $platform', (platform) => {
  let merchant: Merchant;

  beforeEach(async () => {
    merchant = await Merchant.open({ platform });
  });

  afterEach(() => merchant.close());

  it('tells payment.succeeded once when the customer pays', async () => {
    const payment = await merchant.payments.request(aRequest({ metadata: { order: 7, note: '' } }));
    expect(payment.state).toBe('pending');

    const { payment: paid, transaction, via } = await merchant.heard.next('payment.succeeded');

    expect(paid).toMatchObject({
      id: payment.id,
      state: 'succeeded',
      metadata: { order: 7, note: '' },
    });
    expect(transaction).toMatchObject({ amount: '100.0', currency: 'KES', tillNumber: '514459' });
    expect(via).toBe('callback');
    await merchant.simulator.idle();
    expect(merchant.heard.named('payment.succeeded')).toHaveLength(1);
    expect(await merchant.payments.settled(payment.id)).toMatchObject({ state: 'succeeded' });
  });

  it('tells payment.failed with a reason when the customer cancels', async () => {
    const payment = await merchant.payments.request(aRequestFrom('+254700000002'));
    const { reason, errors } = await merchant.heard.next('payment.failed');
    expect(reason).toBe('cancelled');
    expect(errors).not.toHaveLength(0);
    expect(await merchant.payments.find(payment.id)).toMatchObject({
      state: 'failed',
      reason: 'cancelled',
    });
  });

  it('sends no second prompt for the same key', async () => {
    const request = aRequest();
    const [first, second] = await Promise.all([
      merchant.payments.request(request),
      merchant.payments.request(request),
    ]);
    expect(second.id).toBe(first.id);
    await merchant.simulator.idle();
    expect(merchant.simulator.charges()).toHaveLength(1);
  });
});
