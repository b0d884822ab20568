import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryStore, OperationNotResolvableError } from '@tillkit/payments';
import { aPayout, aRequest, aRequestOfAnother, Merchant } from '../support/merchant.js';
import { until } from '../support/until.js';

const MINUTE = 60_000;
const WHO = { by: 'jane', note: 'the statement' } as const;

// A decision uses no incoming HTTP, so one HTTP adapter is enough.
describe("A person's decision on what has no outcome", () => {
  let merchant: Merchant;
  let passedMs: number;

  beforeEach(async () => {
    passedMs = 0;
    merchant = await Merchant.open({
      payments: {
        store: new MemoryStore(() => Date.now() + passedMs),
        reconciliation: false,
      },
    });
    merchant.simulator.faults.rate('lose', 1);
  });

  afterEach(() => merchant.close());

  const unknown = async (): Promise<string> => {
    merchant.simulator.faults.once('create-5xx-before-commit');
    const { id, state } = await merchant.payments.request(aRequestOfAnother());
    expect(state).toBe('unknown');
    return id;
  };

  /** The platform has decided, and the merchant does not know it. */
  const paidInSilence = async (): Promise<string> => {
    const { id } = await merchant.payments.request(aRequest());
    await until(() => merchant.simulator.deliveries.list().some(({ url }) => url.includes(id)));
    return id;
  };

  it('is taken 15 minutes after it was sent, and another request may follow', async () => {
    const request = aRequestOfAnother();
    merchant.simulator.faults.once('create-5xx-before-commit');
    const { id } = await merchant.payments.request(request);
    passedMs = 15 * MINUTE;
    expect(await merchant.payments.resolve(id, { ...WHO, state: 'failed' })).toMatchObject({
      id,
      state: 'failed',
    });
    expect((await merchant.received.next('payment.failed')).via).toBe('review');
    const again = { ...request, idempotencyKey: `${request.idempotencyKey} again` };
    expect(await merchant.payments.request(again)).toMatchObject({ state: 'pending' });
  });

  it('is refused before, because the platform may still say what became of it', async () => {
    const id = await unknown();
    passedMs = 14 * MINUTE;
    const early = merchant.payments.resolve(id, { ...WHO, state: 'failed' });
    await expect(early).rejects.toThrow(/was sent 14 min ago.*15 min after sending/);
    await expect(early).rejects.toThrow(OperationNotResolvableError);
  });

  it('does not stand against the outcome that a read finds now', async () => {
    const id = await paidInSilence();
    passedMs = 15 * MINUTE;
    await expect(merchant.payments.resolve(id, { ...WHO, state: 'failed' })).rejects.toThrow(
      /the platform says now that it is succeeded/,
    );
    expect(await merchant.payments.find(id)).toMatchObject({ state: 'succeeded' });
    expect((await merchant.received.next('payment.succeeded')).via).toBe('status');
  });

  it('that agrees with the outcome that a read finds now is what the platform says', async () => {
    const id = await paidInSilence();
    passedMs = 15 * MINUTE;
    const decision = { ...WHO, state: 'succeeded' } as const;
    expect(await merchant.payments.resolve(id, decision)).toMatchObject({ state: 'succeeded' });
    expect((await merchant.received.next('payment.succeeded')).via).toBe('status');
  });

  it('is not taken while the platform does not answer the read', async () => {
    const id = await paidInSilence();
    passedMs = 15 * MINUTE;
    merchant.simulator.faults.rate('read-5xx', 1);
    await expect(merchant.payments.resolve(id, { ...WHO, state: 'failed' })).rejects.toMatchObject({
      code: 'PAYMENTS_UNAVAILABLE',
    });
    expect(await merchant.payments.find(id)).toMatchObject({ state: 'pending' });
  });

  it('is taken when the platform has nothing under the id', async () => {
    merchant.simulator.faults.rate('read-404', 1);
    const id = await paidInSilence();
    passedMs = 15 * MINUTE;
    const decision = { ...WHO, state: 'failed' } as const;
    expect(await merchant.payments.resolve(id, decision)).toMatchObject({ state: 'failed' });
  });

  it('is possible for a payout whose create got no answer, and not for a link that can be paid', async () => {
    merchant.simulator.faults.once('create-5xx-before-commit');
    const payout = await merchant.payouts.request(aPayout());
    const link = await merchant.links.request({
      idempotencyKey: 'link',
      tillNumber: '514459',
      amount: { currency: 'KES', value: '100' },
      paymentReference: 'order 1042',
    });
    passedMs = 15 * MINUTE;
    const decision = { ...WHO, state: 'failed' } as const;
    expect(await merchant.payouts.resolve(payout.id, decision)).toMatchObject({ state: 'failed' });
    await expect(merchant.links.resolve(link.id, decision)).rejects.toThrow(
      /it can be paid: cancel it/,
    );
  });
});
