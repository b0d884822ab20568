import { afterEach, describe, expect, it } from '@jest/globals';
import { MemoryStore, SweepsService, type PaymentsOptions } from '@tillkit/payments';
import { commitTo } from '../contracts/store-under-test.js';
import { aRequestFrom, Merchant } from '../support/merchant.js';

const MINUTE = 60_000;

const QUICK = {
  scheduleMs: [20, 40, 60],
  intervalMs: 10,
  requestsPerSecond: 1000,
  sweepEveryMs: 0,
};

// The library finds the money by its own requests: no delivery comes in, so one platform is enough.
describe('Reconciliation of a payment without a platform id', () => {
  let merchant: Merchant;

  afterEach(() => merchant.close());

  /** Makes a payment twenty minutes old: the platform lists all money that could be its own. */
  const age = async (id: string, sentMinutesAgo = 20): Promise<void> => {
    const { store } = merchant;
    const { version } = (await store.operations.find('default', id)) as { version: number };
    const sentAt = new Date(Date.now() - sentMinutesAgo * MINUTE);
    await commitTo(store, {
      account: 'default',
      operation: { id, version, set: { sentAt }, dueInMs: 0 },
      events: [],
      history: [],
    });
  };

  const unknown = async (changes = {}): Promise<string> => {
    merchant.simulator.faults.once('create-5xx-before-commit');
    const payment = await merchant.payments.request(aRequestFrom('+254700000050', changes));
    expect(payment.state).toBe('unknown');
    return payment.id;
  };

  const paid = (changes = {}) =>
    merchant.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: '+254700000050',
      amount: 100,
      originatedAt: Date.now() - 19 * MINUTE,
      silent: true,
      ...changes,
    });

  /** A store that has swept for an hour before this process starts. */
  const openLater = async (payments: PaymentsOptions = {}): Promise<void> => {
    const store = new MemoryStore();
    await store.sweeps.progress('default', new Date(Date.now() - 60 * MINUTE));
    merchant = await Merchant.open({
      speed: 5,
      payments: {
        http: { createTimeoutMs: 5_000 },
        reconciliation: QUICK,
        store,
        ...payments,
      },
    });
  };

  it('succeeds when exactly one transaction and one payment match', async () => {
    await openLater();
    const id = await unknown();
    const { reference } = await paid();
    await age(id);
    const { via, transaction } = await merchant.received.next('payment.succeeded');
    expect({ via, reference: transaction.reference }).toEqual({ via: 'sweep', reference });
  });

  it('asks for review when two transactions match', async () => {
    await openLater();
    const id = await unknown();
    await paid();
    await paid();
    await age(id);
    expect((await merchant.received.next('payment.needs_review')).cause).toBe('ambiguous');
  });

  it('asks for review when two payments match', async () => {
    await openLater();
    const first = await unknown();
    const second = await unknown({ besides: [first] });
    await paid();
    await age(second);
    await age(first);
    expect((await merchant.received.next('payment.needs_review')).cause).toBe('ambiguous');
    expect(merchant.received.named('payment.succeeded')).toHaveLength(0);
  });

  it('asks for review when the customer had paid directly before, also if its own create was never processed', async () => {
    await openLater();
    // The till event of the direct payment goes out without an owner.
    await paid({ originatedAt: Date.now() - 21 * MINUTE });
    await merchant.app.get(SweepsService).sweep();
    await merchant.received.next('till.transaction.received', ({ paymentId }) => !paymentId);
    const id = await unknown();
    await age(id);
    const { payment, cause } = await merchant.received.next('payment.needs_review');
    expect({ id: payment.id, cause }).toEqual({ id, cause: 'ambiguous' });
    expect(merchant.received.named('payment.succeeded')).toHaveLength(0);
  });

  it('asks for review again when money comes after a person has said that it failed', async () => {
    await openLater();
    const id = await unknown();
    await age(id);
    expect((await merchant.received.next('payment.needs_review')).cause).toBe('no_evidence');
    await merchant.payments.resolve(id, { state: 'failed', by: 'ops', note: 'not in the portal' });
    const { reference } = await paid();
    await merchant.app.get(SweepsService).sweep();
    const { payment, cause } = await merchant.received.next(
      'payment.needs_review',
      (event) => event.cause === 'paid_after_failure',
    );
    expect(payment).toMatchObject({ id, transaction: { reference } });
    expect(cause).toBe('paid_after_failure');
    await expect(merchant.payments.request(aRequestFrom('+254700000050'))).rejects.toMatchObject({
      inTheWay: [{ id }],
    });
  });

  it.each([
    ['another payer', { phoneNumber: '+254700000051' }],
    ['another amount', { amount: 101 }],
    ['another till', { tillNumber: '000123' }],
    ['a time before it was sent', { originatedAt: Date.now() - 40 * MINUTE }],
  ])('finds no match with %s', async (_, changes) => {
    await openLater();
    const id = await unknown();
    await paid(changes);
    await age(id);
    expect((await merchant.received.next('payment.needs_review')).cause).toBe('no_evidence');
    expect(await merchant.payments.find(id)).toMatchObject({
      state: 'needs_review',
      transaction: null,
    });
  });
});
