import { afterEach, describe, expect, it } from '@jest/globals';
import { MemoryStore, StoreUnavailableError, type PaymentsOptions } from '@tillkit/payments';
import { anomaliesOf } from '../support/anomalies.js';
import { altered } from '../support/altered.store.js';
import { deliverSigned, resultBody, webhookBody } from '../support/deliver.js';
import { aRequest, aRequestOfAnother, aRequestFrom, Merchant } from '../support/merchant.js';
import { until } from '../support/until.js';

const HANDSET = '+254700000014';
const SILENT = '+254700000015';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A store that can make the next change late, make it and not answer, or not make it at all. */
class FailingStore {
  /** Makes the record after the caller got the error. */
  recordLate: (() => Promise<unknown>) | null = null;
  nextRecording: 'fine' | 'late' = 'fine';
  nextRequested: 'fine' | 'made, not answered' | 'never made' = 'fine';
  isUnavailable = false;

  readonly store = altered(new MemoryStore(), {
    operations: {
      record:
        (record) =>
        async (...args) => {
          if (this.nextRecording === 'fine') return record(...args);
          this.nextRecording = 'fine';
          this.recordLate = () => record(...args);
          throw new StoreUnavailableError('it did not answer for 15 s');
        },
      findMany:
        (findMany) =>
        async (...args) => {
          this.assertAvailable();
          return findMany(...args);
        },
    },
    ledger: {
      commit: (commit) => async (change) => {
        const isRequested = change.operation?.set.state === 'requested';
        const failure = isRequested ? this.nextRequested : 'fine';
        if (failure === 'fine') {
          this.assertAvailable();
          return commit(change);
        }
        this.nextRequested = 'fine';
        if (failure === 'made, not answered') await commit(change);
        else this.isUnavailable = true;
        throw new StoreUnavailableError('the connection was lost');
      },
    },
  });

  private assertAvailable(): void {
    if (this.isUnavailable) throw new StoreUnavailableError('the connection was lost');
  }
}

describe('Money', () => {
  let merchant: Merchant;
  let store: FailingStore;

  const open = async (payments: PaymentsOptions = {}): Promise<void> => {
    store = new FailingStore();
    merchant = await Merchant.open({
      payments: {
        store: store.store,
        reconciliation: { sweepEveryMs: 0, intervalMs: 20, requestsPerSecond: 1_000 },
        ...payments,
      },
    });
  };

  afterEach(() => merchant.close());

  describe('of a request() that ended in an error', () => {
    it('is never requested when its record is made late, after another key was paid', async () => {
      await open({ sending: { sendBeforeMs: 5_000 } });
      store.nextRecording = 'late';
      const request = aRequestOfAnother();
      await expect(merchant.payments.request(request)).rejects.toMatchObject({
        code: 'PAYMENTS_STORE_UNAVAILABLE',
        outcome: 'unknown',
        message: expect.stringContaining('again with the same idempotency key'),
      });
      expect(await merchant.payments.findByIdempotencyKey(request.idempotencyKey)).toBeNull();
      const second = await merchant.payments.request(aRequestOfAnother());
      await merchant.payments.settled(second.id);
      await store.recordLate?.();
      const late = await merchant.payments.findByIdempotencyKey(request.idempotencyKey);
      expect(await merchant.payments.settled(late?.id as string)).toMatchObject({
        state: 'failed',
        reason: 'not_sent',
      });
      expect(merchant.creates()).toBe(1);
      expect(merchant.simulator.charges()).toHaveLength(1);
    });

    it('is requested once when the host repeats the call with the same key, as the error says', async () => {
      await open();
      store.nextRecording = 'late';
      const request = aRequest();
      await expect(merchant.payments.request(request)).rejects.toThrow(StoreUnavailableError);
      await store.recordLate?.();
      const again = await merchant.payments.request(request);
      expect(again.state).toBe('pending');
      expect(await merchant.payments.settled(again.id)).toMatchObject({ state: 'succeeded' });
      expect(merchant.creates()).toBe(1);
    });

    it('is never unknown when the commit before sending failed: it is requested once or failed', async () => {
      await open({ sending: { sendBeforeMs: 2_000 } });
      store.nextRequested = 'never made';
      const request = aRequest();
      const asked = merchant.payments.request(request);
      await until(() => store.isUnavailable);
      await sleep(100);
      store.isUnavailable = false;
      const payment = await asked.catch(() => null);
      const id =
        payment?.id ??
        (await merchant.payments.findByIdempotencyKey(request.idempotencyKey))?.id ??
        '';
      const settled = await merchant.payments.settled(id);
      const history = await merchant.payments.history(id);
      expect(history.map(({ detail }) => detail)).not.toContain('requested to unknown');
      expect(merchant.creates()).toBe(settled.state === 'failed' ? 0 : 1);
    });
  });

  it('is requested once when the answer to the commit before sending is lost', async () => {
    await open();
    store.nextRequested = 'made, not answered';
    const payment = await merchant.payments.request(aRequest());
    expect(payment.state).toBe('pending');
    expect(await merchant.payments.settled(payment.id)).toMatchObject({ state: 'succeeded' });
    expect(merchant.creates()).toBe(1);
  });

  it('is requested two to four times, not hundreds, when the platform answers Retry-After: 0', async () => {
    await open({ sending: { sendBeforeMs: 3_500 } });
    merchant.simulator.faults.rate('create-429', 1, { retryAfter: 0 });
    expect(await merchant.payments.request(aRequest())).toMatchObject({
      state: 'failed',
      reason: 'not_sent',
    });
    expect(merchant.creates()).toBeLessThanOrEqual(4);
    expect(merchant.creates()).toBeGreaterThanOrEqual(2);
  });

  it.each([
    ['a landline', '+254202222222'],
    ['a number of another country', '+256700000001'],
  ])('is not requested from %s', async (_, phoneNumber) => {
    await open();
    await expect(merchant.payments.request(aRequestFrom(phoneNumber))).rejects.toMatchObject({
      code: 'PAYMENTS_VALIDATION',
      problems: [{ field: 'subscriber.phoneNumber' }],
    });
    expect(merchant.creates()).toBe(0);
  });

  describe('that arrives after the platform said Failed', () => {
    it('is found by a status read, because its webhook causes one', async () => {
      await open();
      const payment = await merchant.payments.request(aRequestFrom(HANDSET));
      const url = `${merchant.url}/payments/callbacks/incoming-payments/${payment.id}`;
      const failed = { status: 'Failed', event: { type: 'x', resource: null, errors: ['no'] } };
      const body = resultBody(payment.platformId as string, url, failed, null);
      await deliverSigned(url, body, merchant.simulator.apiKey);
      await merchant.received.next('payment.failed');
      merchant.simulator.faults.rate('lose', 1);
      merchant.simulator.handset(HANDSET).approve();
      await until(() => merchant.simulator.charges().length === 1);
      const [charge] = merchant.simulator.charges();
      await deliverSigned(
        merchant.webhookUrl,
        webhookBody({ reference: charge?.reference, sender_phone_number: HANDSET }),
        merchant.simulator.apiKey,
      );
      const { cause, via } = await merchant.received.next('payment.needs_review');
      expect({ cause, via }).toEqual({ cause: 'paid_after_failure', via: 'status' });
    });
  });

  it('is settled by its callback without a read when its webhook comes first', async () => {
    await open({ deliveries: { unmatchedForMs: 60_000 } });
    const payment = await merchant.payments.request(aRequestFrom(HANDSET));
    const money = { reference: 'BOTH', sender_phone_number: HANDSET };
    const key = merchant.simulator.apiKey;
    await deliverSigned(merchant.webhookUrl, webhookBody(money), key);
    await sleep(300);
    const url = `${merchant.url}/payments/callbacks/incoming-payments/${payment.id}`;
    const body = resultBody(payment.platformId as string, url, {}, money);
    await deliverSigned(url, body, key);
    expect((await merchant.received.next('payment.succeeded')).via).toBe('callback');
    const event = await merchant.received.next('till.transaction.received');
    expect(event.paymentId).toBe(payment.id);
    const reads = merchant.simulator.journal
      .entries()
      .filter(
        (entry) =>
          entry.type === 'request' &&
          entry.method === 'GET' &&
          entry.url.includes('/incoming_payments/'),
      );
    expect(reads).toHaveLength(0);
  });

  it('in a callback that is refused for its size is found by a status read of the schedule', async () => {
    await open({
      reconciliation: {
        sweepEveryMs: 0,
        intervalMs: 20,
        requestsPerSecond: 1_000,
        scheduleMs: [50],
      },
    });
    merchant.simulator.faults.rate('lose', 1);
    const payment = await merchant.payments.request(aRequestFrom(HANDSET));
    await until(() => merchant.simulator.handset(HANDSET).prompts().length > 0);
    const url = `${merchant.url}/payments/callbacks/incoming-payments/${payment.id}`;
    const answer = await deliverSigned(url, 'x'.repeat(1024 * 1024 + 1), merchant.simulator.apiKey);
    expect(answer.status).toBe(413);
    merchant.simulator.handset(HANDSET).approve();
    expect((await merchant.received.next('payment.succeeded')).via).toBe('status');
  });

  it('whose time is long ago emits no event by webhook and is an anomaly, but a callback is applied', async () => {
    await open();
    const key = merchant.simulator.apiKey;
    const old = '2011-01-20T22:45:12+03:00';
    const payment = await merchant.payments.request(aRequestFrom(HANDSET));
    await deliverSigned(
      merchant.webhookUrl,
      webhookBody({ origination_time: old, reference: 'OLD' }),
      key,
    );
    const url = `${merchant.url}/payments/callbacks/incoming-payments/${payment.id}`;
    const body = resultBody(
      payment.platformId as string,
      url,
      { initiation_time: old },
      { sender_phone_number: HANDSET, origination_time: old },
    );
    await deliverSigned(url, body, key);
    await merchant.received.next('payment.succeeded');
    const what = 'buygoods_transaction_received older than retention';
    await until(async () => (await anomaliesOf(merchant.store)).some((one) => one.what === what));
    expect(merchant.received.named('till.transaction.received')).toHaveLength(0);
  });

  it('settles its payment after the store was unavailable for a while', async () => {
    await open();
    const { id } = await merchant.payments.request(aRequestFrom(HANDSET));
    const settled = merchant.payments.settled(id);
    store.isUnavailable = true;
    await sleep(50);
    store.isUnavailable = false;
    merchant.simulator.handset(HANDSET).approve();
    expect(await settled).toMatchObject({ state: 'succeeded' });
  });

  it('at a till that the account does not list emits no event', async () => {
    await open({ tills: ['514459'] });
    const key = merchant.simulator.apiKey;
    const webhook = (changes: object): Promise<unknown> =>
      deliverSigned(merchant.webhookUrl, webhookBody({ ...changes }), key);
    await webhook({ till_number: '777777', reference: 'THEIRS' });
    await webhook({ till_number: '514459', reference: 'OURS' });
    const { transaction } = await merchant.received.next('till.transaction.received');
    expect(transaction.reference).toBe('OURS');
  });

  it('of a payment without a callback is found on schedule while webhooks of other payments wait', async () => {
    await open({
      reconciliation: {
        sweepEveryMs: 0,
        intervalMs: 20,
        requestsPerSecond: 5,
        scheduleMs: [500, 60_000],
      },
    });
    const lost = await merchant.payments.request(aRequestFrom(SILENT));
    const others = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        merchant.payments.request(aRequestFrom(`+2547000${String(n).padStart(3, '0')}14`)),
      ),
    );
    await Promise.all(
      others.map(({ subscriber: { phoneNumber } }) =>
        deliverSigned(
          merchant.webhookUrl,
          webhookBody({ sender_phone_number: phoneNumber }),
          merchant.simulator.apiKey,
        ),
      ),
    );
    expect(await merchant.payments.settled(lost.id)).toMatchObject({ state: 'succeeded' });
  });
});
