import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aPayout, aRequest, Merchant } from '../support/merchant.js';

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

  it('is refused when the time is longer than that of the settings, and nothing is recorded', async () => {
    const input = aRequest({ sendBeforeMs: 60_001 });
    await expect(merchant.payments.request(input)).rejects.toThrow(
      /sendBeforeMs must not be above/,
    );
    expect(await merchant.payments.findByIdempotencyKey(input.idempotencyKey)).toBeNull();
  });
});
