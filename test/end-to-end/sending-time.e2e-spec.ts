import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aPayout, aRequest, aRequestFrom, Merchant } from '../support/merchant.js';

/** The settings give each request a minute. */
describe('A request with a time of its own to be sent', () => {
  let merchant: Merchant;

  beforeEach(async () => {
    merchant = await Merchant.open();
    await merchant.simulator.stop();
  });
  afterEach(() => merchant.close());

  it('fails as not_sent after this time when the platform is down, and a repeat with another time is the same request', async () => {
    const input = aRequest({ sendBeforeMs: 200 });
    const payment = await merchant.payments.request(input);
    expect(payment).toMatchObject({ state: 'failed', reason: 'not_sent' });
    const again = await merchant.payments.request({ ...input, sendBeforeMs: 5_000 });
    expect(again.id).toBe(payment.id);
  });

  it('may be a payout or a payment link', async () => {
    const payout = await merchant.payouts.request(aPayout({ sendBeforeMs: 200 }));
    const amount = { currency: 'KES', value: '50.00' };
    const link = await merchant.links.request({ idempotencyKey: 'l', amount, sendBeforeMs: 200 });
    for (const one of [payout, link])
      expect(one).toMatchObject({ state: 'failed', reason: 'not_sent' });
  });

  it('may be a refund', async () => {
    await merchant.close();
    merchant = await Merchant.open();
    const { id } = await merchant.payments.request(aRequest());
    await merchant.received.next('payment.succeeded');
    merchant.simulator.faults.rate('create-429', 1);
    const input = { idempotencyKey: 'r', paymentId: id, why: 'returned', sendBeforeMs: 200 };
    expect(await merchant.refunds.request(input)).toMatchObject({
      state: 'failed',
      reason: 'not_sent',
    });
  });
});

it('A repeat with a longer time than that of the settings is the same request, and not refused as if nothing had been sent', async () => {
  const merchant = await Merchant.open();
  const input = aRequestFrom('+254700000014', { sendBeforeMs: 60_000 });
  const { id } = await merchant.payments.request(input);
  expect(await merchant.payments.request({ ...input, sendBeforeMs: 90_000 })).toMatchObject({
    id,
    state: 'pending',
  });
  await merchant.close();
});
