import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MemoryStore, type PaymentsOptions } from '@tillkit/payments';
import type { FaultKind } from '@tillkit/simulator';
import { deliverSigned, resultBody } from '../support/deliver.js';
import { aRequest, aRequestFrom, Merchant } from '../support/merchant.js';
import { requestsTo } from '../support/platform.requests.js';
import { until } from '../support/until.js';
import { commitTo } from '../contracts/store-under-test.js';

const SILENT = '+254700000015';
const HANDSET = '+254700000014';

const QUICK = {
  scheduleMs: [20, 40, 60],
  intervalMs: 10,
  requestsPerSecond: 1000,
  sweepEveryMs: 0,
};

describe('Reconciliation', () => {
  let merchant: Merchant;
  const open = async (payments: PaymentsOptions = {}): Promise<Merchant> =>
    (merchant = await Merchant.open({
      payments: { reconciliation: QUICK, ...payments },
    }));

  afterEach(() => merchant.close());

  it('finds the outcome of a payment whose callback never comes', async () => {
    await open();
    const payment = await merchant.payments.request(aRequestFrom(SILENT));
    const { via, payment: paid } = await merchant.received.next('payment.succeeded');
    expect({ via, id: paid.id }).toEqual({ via: 'status', id: payment.id });
  });

  it.each(['Received', 'Settling'])(
    'reads a payment again for as long as the platform calls it %s, also when it shows the transaction',
    async (paymentStatus) => {
      await open();
      merchant.simulator.faults.rate('unknown-status', 1, { paymentStatus });
      const payment = await merchant.payments.request(aRequestFrom('+254700000001'));
      const reads = (): number =>
        requestsTo(merchant.simulator, `/incoming_payments/${payment.platformId}`).length;
      await until(() => merchant.simulator.charges()[0]?.charged === true);
      const before = reads();
      await until(() => reads() > before + 2);
      expect((await merchant.payments.find(payment.id))?.state).toBe('pending');
      merchant.simulator.faults.clear();
      expect((await merchant.received.next('payment.succeeded')).payment.id).toBe(payment.id);
      expect(merchant.received.named('payment.succeeded')).toHaveLength(1);
    },
  );

  it.each<FaultKind>(['read-5xx', 'read-reset', 'read-404', 'read-429'])(
    'continues after the fault %s',
    async (fault) => {
      await open();
      merchant.simulator.faults.once(fault);
      await merchant.payments.request(aRequestFrom(SILENT));
      expect((await merchant.received.next('payment.succeeded')).via).toBe('status');
    },
  );

  it('sends a payment to review when there is no evidence in time, and never fails it because of a timeout', async () => {
    await open({ reconciliation: { ...QUICK, reviewAfterMs: 200 } });
    const payment = await merchant.payments.request(aRequestFrom(HANDSET));
    const { cause } = await merchant.received.next('payment.needs_review');
    expect(cause).toBe('no_evidence');
    expect(merchant.received.named('payment.failed')).toHaveLength(0);
    expect(await merchant.payments.settled(payment.id)).toMatchObject({
      state: 'needs_review',
      cause: 'no_evidence',
    });

    // Later evidence settles the payment without a person.
    merchant.simulator.handset(HANDSET).approve();
    expect((await merchant.received.next('payment.succeeded')).payment.id).toBe(payment.id);
  });

  it("applies a person's decision on a payment in review, once, and records it in the history", async () => {
    await open({ reconciliation: { ...QUICK, reviewAfterMs: 200 } });
    const payment = await merchant.payments.request(aRequestFrom(HANDSET));
    await merchant.received.next('payment.needs_review');
    const decision = {
      state: 'succeeded',
      by: 'ops@shop.example',
      note: 'seen on the statement',
    } as const;
    await expect(merchant.payments.resolve(payment.id, decision)).rejects.toThrow(/reference/);
    const resolved = await merchant.payments.resolve(payment.id, {
      ...decision,
      reference: 'STATEMENT1',
    });
    expect(resolved).toMatchObject({
      state: 'succeeded',
      transaction: { reference: 'STATEMENT1' },
    });
    expect((await merchant.received.next('payment.succeeded')).via).toBe('review');
    await expect(merchant.payments.resolve(payment.id, decision)).rejects.toMatchObject({
      code: 'PAYMENTS_NOT_RESOLVABLE',
    });
    const history = await merchant.payments.history(payment.id);
    expect(history.map(({ detail }) => detail).join('\n')).toContain(
      'resolved as succeeded by ops@shop.example',
    );
  });

  it('fails a payment in review when a person decides that nothing was paid', async () => {
    await open({ reconciliation: { ...QUICK, reviewAfterMs: 200 } });
    const payment = await merchant.payments.request(aRequestFrom(HANDSET));
    await merchant.received.next('payment.needs_review');
    await merchant.payments.resolve(payment.id, {
      state: 'failed',
      by: 'ops',
      note: 'customer says so',
    });
    expect((await merchant.received.next('payment.failed')).via).toBe('review');
  });

  it('reads a payment again when its callback says Success and has no transaction', async () => {
    await open({ reconciliation: { ...QUICK, scheduleMs: [60_000] } });
    const payment = await merchant.payments.request(aRequestFrom(HANDSET));
    const url = `${merchant.url}/payments/callbacks/incoming-payments/${payment.id}`;
    const empty = resultBody(payment.platformId as string, url, {}, null);
    await deliverSigned(url, empty, merchant.simulator.apiKey);
    merchant.simulator.handset(HANDSET).approve();
    expect((await merchant.received.next('payment.succeeded')).payment.id).toBe(payment.id);
  });

  describe('after a restart', () => {
    /** Records a payment as a process does that stops right after the commit of its host's transaction. */
    const recorded = async (store: MemoryStore, sendBeforeMs: number): Promise<string> => {
      const { subscriber, amount, idempotencyKey } = aRequest();
      const id = randomUUID();
      const payment = {
        id,
        account: 'default',
        kind: 'payment',
        idempotencyKey,
        channel: 'M-PESA STK Push',
        tillNumber: '514459',
        tills: ['514459'],
        subscriber,
        amount,
        amountMinor: '10000',
        order: null,
        metadata: null,
        besides: [],
        inBackground: true,
      };
      await store.operations.record(payment, { sendBeforeMs });
      return id;
    };

    it('sends a payment once that was recorded and never sent', async () => {
      const store = new MemoryStore();
      const id = await recorded(store, 60_000);
      await open({ store });
      expect(await merchant.payments.settled(id)).toMatchObject({ state: 'succeeded' });
      expect(merchant.simulator.charges()).toHaveLength(1);
    });

    it('does not send a payment that is too old, which fails as not sent', async () => {
      const store = new MemoryStore();
      const id = await recorded(store, 1);
      await open({ store });
      expect(await merchant.payments.settled(id)).toMatchObject({
        state: 'failed',
        reason: 'not_sent',
      });
      expect(merchant.simulator.charges()).toHaveLength(0);
    });

    it('does not send a payment again that was about to be sent, which becomes unknown', async () => {
      let laterMs = 0;
      const store = new MemoryStore(() => Date.now() + laterMs);
      const id = await recorded(store, 60_000);
      const { version } = (await store.operations.find('default', id)) as { version: number };
      await commitTo(store, {
        account: 'default',
        operation: { id, version, set: { state: 'requested', sentAt: new Date() }, dueInMs: 0 },
        events: [],
        history: [],
      });
      // The deadline of its create has passed.
      laterMs = 10 * 60_000;
      await open({ store });
      const states = new Promise<string>((resolve) => {
        merchant.payments
          .watch(id)
          .subscribe(({ state }) => (state === 'requested' ? undefined : resolve(state)));
      });
      expect(await states).toBe('unknown');
      expect(merchant.simulator.charges()).toHaveLength(0);
    });
  });
});
