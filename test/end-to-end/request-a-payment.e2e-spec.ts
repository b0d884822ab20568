import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aRequest, aRequestFrom, Merchant } from '../support/merchant.js';

describe('A requested payment', () => {
  let merchant: Merchant;

  beforeEach(async () => {
    merchant = await Merchant.open();
  });

  afterEach(() => merchant.close());

  it('emits payment.succeeded once when the customer pays', async () => {
    const payment = await merchant.payments.request(aRequest({ metadata: { order: 7, note: '' } }));
    expect(payment.state).toBe('pending');

    const { payment: paid, transaction, via } = await merchant.received.next('payment.succeeded');

    expect(paid).toMatchObject({
      id: payment.id,
      state: 'succeeded',
      metadata: { order: 7, note: '' },
    });
    expect(transaction).toMatchObject({ amount: '100.0', currency: 'KES', tillNumber: '514459' });
    expect(via).toBe('callback');
    await merchant.simulator.idle();
    expect(merchant.received.named('payment.succeeded')).toHaveLength(1);
    expect(await merchant.payments.settled(payment.id)).toMatchObject({ state: 'succeeded' });
  });

  it('emits payment.failed with a reason when the customer cancels', async () => {
    const payment = await merchant.payments.request(aRequestFrom('+254700000002'));
    const { reason, errors } = await merchant.received.next('payment.failed');
    expect(reason).toBe('cancelled');
    expect(errors).not.toHaveLength(0);
    expect(await merchant.payments.find(payment.id)).toMatchObject({
      state: 'failed',
      reason: 'cancelled',
    });
  });

  it('prompts the customer once for the same idempotency key', async () => {
    const request = aRequest();
    const [first, second] = await Promise.all([
      merchant.payments.request(request),
      merchant.payments.request(request),
    ]);
    expect(second.id).toBe(first.id);
    await merchant.simulator.idle();
    expect(merchant.simulator.charges()).toHaveLength(1);
  });

  it('rejects settled() with its state when it has no outcome in time', async () => {
    const { id } = await merchant.payments.request(aRequestFrom('+254700000014'));
    await expect(merchant.payments.settled(id, { timeoutMs: 20 })).rejects.toMatchObject({
      code: 'PAYMENTS_SETTLE_TIMEOUT',
      state: 'pending',
    });
  });

  it('cannot be resolved by a person unless it needs review', async () => {
    const { id } = await merchant.payments.request(aRequestFrom('+254700000014'));
    const decision = { state: 'failed', by: 'ops', note: 'no' } as const;
    await expect(merchant.payments.resolve(id, decision)).rejects.toMatchObject({
      code: 'PAYMENTS_NOT_RESOLVABLE',
    });
  });

  it('is an error to wait for and to resolve when it does not exist, and null to find', async () => {
    const { payments } = merchant;
    const code = 'PAYMENTS_NOT_FOUND';
    await expect(payments.settled('nothing')).rejects.toMatchObject({ code });
    const decision = { state: 'failed', by: 'ops', note: 'no' } as const;
    await expect(payments.resolve('nothing', decision)).rejects.toMatchObject({ code });
    expect(await payments.find('nothing')).toBeNull();
    expect(await payments.findByIdempotencyKey('nothing')).toBeNull();
    expect(await payments.findTransaction({ reference: 'no', tillNumber: '514459' })).toBeNull();
    expect(await payments.history('nothing')).toEqual([]);
  });
});
