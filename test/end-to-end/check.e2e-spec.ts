import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperationNotFoundError } from '@tillkit/payments';
import { aPayout, aRequest, aRequestOfAnother, Merchant } from '../support/merchant.js';
import { until } from '../support/until.js';

// A read uses no incoming HTTP, so one HTTP adapter is enough.
describe('An operation that is read now', () => {
  let merchant: Merchant;

  beforeAll(async () => {
    merchant = await Merchant.open({
      payments: {
        reconciliation: { scheduleMs: [3_600_000], sweepEveryMs: 0, requestsPerSecond: 1000 },
      },
    });
    merchant.simulator.faults.rate('lose', 1);
  });

  afterAll(() => merchant.close());

  /** Waits until the platform has tried to deliver the result. */
  const decided = (id: string): Promise<void> =>
    until(() => merchant.simulator.deliveries.list().some(({ url }) => url.includes(id)));

  it('is settled by what the platform shows, and its event is emitted once', async () => {
    const { id, state } = await merchant.payments.request(aRequest());
    expect(state).toBe('pending');
    await decided(id);
    expect(await merchant.payments.check(id)).toMatchObject({ id, state: 'succeeded' });
    expect(await merchant.payments.check(id)).toMatchObject({ id, state: 'succeeded' });
    await merchant.received.next('payment.succeeded');
    expect(merchant.received.named('payment.succeeded')).toHaveLength(1);
  });

  it('may be a payout', async () => {
    const { id } = await merchant.payouts.request(aPayout());
    // The platform posts more than one result of it.
    await until(async () => (await merchant.payouts.check(id)).state === 'succeeded');
    expect((await merchant.received.next('payout.succeeded')).via).toBe('status');
  });

  it('stays as it is, without a request, while its id at the platform is not known', async () => {
    merchant.simulator.faults.once('create-reset-after-commit');
    const payment = await merchant.payments.request(aRequestOfAnother());
    expect(payment.platformId).toBeNull();
    const requests = (): number =>
      merchant.simulator.journal.entries().filter(({ type }) => type === 'request').length;
    const before = requests();
    expect(await merchant.payments.check(payment.id)).toEqual(
      await merchant.payments.find(payment.id),
    );
    expect(requests()).toBe(before);
  });

  it('must be of this kind and account', async () => {
    const { id } = await merchant.payments.request(aRequestOfAnother());
    await expect(merchant.payouts.check(id)).rejects.toThrow(OperationNotFoundError);
    await expect(merchant.payments.check('nothing')).rejects.toThrow(OperationNotFoundError);
  });
});
