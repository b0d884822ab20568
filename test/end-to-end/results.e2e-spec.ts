import { afterEach, describe, expect, it } from '@jest/globals';
import {
  Inbox,
  IncomingPaymentsService,
  MemoryStore,
  PaymentsStore,
  PollingService,
  SmsNotificationsService,
  WebhookSubscriptionsService,
  type DeliveryRecord,
  type PaymentsOptions,
} from '@tillkit/payments';
import { deliver, deliverSigned, resultBody, webhookBody } from '../support/deliver.js';
import { aRequest, aRequestFrom, Merchant } from '../support/merchant.js';
import { PLATFORMS, type Platform } from '../support/platforms.js';

const [platform] = PLATFORMS as [Platform, Platform];
const SECRET = 'a-secret-of-more-than-32-characters-0001';
const HANDSET = '+254700000014';
const HOUR = 3_600_000;

/** A store whose clock can be moved on, and that remembers which deliveries were worked on. */
class WatchedStore extends MemoryStore {
  readonly seen = new Map<string, DeliveryRecord>();
  failing = false;

  constructor(readonly clock = { offsetMs: 0 }) {
    super(() => Date.now() + clock.offsetMs);
  }

  override async claimDeliveries(...args: Parameters<MemoryStore['claimDeliveries']>) {
    const claimed = await super.claimDeliveries(...args);
    for (const delivery of claimed) this.seen.set(delivery.id, delivery);
    return claimed;
  }

  override async findPaymentByPlatformId(
    ...args: Parameters<MemoryStore['findPaymentByPlatformId']>
  ) {
    if (this.failing) throw new Error('the index is broken');
    return super.findPaymentByPlatformId(...args);
  }
}

describe('results of what a host asked for itself', () => {
  let merchant: Merchant;
  let store: WatchedStore;

  const open = async (payments: PaymentsOptions = {}): Promise<Merchant> => {
    store = new WatchedStore();
    merchant = await Merchant.open({
      platform,
      payments: {
        store,
        reconciliation: { sweepEveryMs: 0, requestsPerSecond: 1_000 },
        ...payments,
      },
    });
    return merchant;
  };
  const byUrl = { apiKeys: [], urlSecrets: [SECRET] };

  afterEach(() => merchant.close());

  const bare = (phoneNumber: string) => {
    const { idempotencyKey: _, ...dto } = aRequestFrom(phoneNumber);
    return merchant.app.get(IncomingPaymentsService).create(dto);
  };

  /** Resolves once a delivery was taken, put back or given up, as it is then. */
  const worked = async (isDone: (delivery: DeliveryRecord) => boolean): Promise<DeliveryRecord> => {
    for (;;) {
      for (const id of store.seen.keys()) {
        const delivery = await merchant.app.get(Inbox).find(id);
        if (delivery && isDone(delivery)) return delivery;
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };

  const poll = () =>
    merchant.app.get(PollingService).create({
      fromTime: new Date(Date.now() - 60_000).toISOString(),
      toTime: new Date(Date.now() + 60_000).toISOString(),
    });

  describe('where the URL alone vouches for them', () => {
    it('of polling are read from the platform, then told', async () => {
      await open(byUrl);
      const { id } = await poll();
      const { polling, via } = await merchant.heard.next('polling.completed');
      expect({ id: polling.id, status: polling.status, via }).toEqual({
        id,
        status: 'Success',
        via: 'callback',
      });
      const reads = merchant.simulator.journal
        .entries()
        .filter((entry) => entry.type === 'request' && entry.url.endsWith(`/polling/${id}`));
      expect(reads).toHaveLength(1);
    });

    it('of an SMS are read from the platform, then told', async () => {
      await open(byUrl);
      await merchant.app.get(WebhookSubscriptionsService).create({
        eventType: 'buygoods_transaction_received',
        scope: 'till',
        scopeReference: '514459',
      });
      await merchant.simulator.payTill({
        tillNumber: '514459',
        phoneNumber: '+254700000077',
        amount: 5,
      });
      const { webhookEventId } = await merchant.heard.next('till.transaction.received');
      const sms = merchant.app.get(SmsNotificationsService);
      const { id } = await sms.create({
        webhookEventReference: webhookEventId as string,
        message: 'Asante!',
      });
      expect(
        (await merchant.heard.next('sms-notification.completed')).smsNotification,
      ).toMatchObject({ id, status: 'Success' });
    });

    it('of a bare payment are read from the platform, then told', async () => {
      await open(byUrl);
      const { id } = await bare('+254700000001');
      const { incomingPayment } = await merchant.heard.next('incoming-payment.completed');
      expect(incomingPayment).toMatchObject({ id, status: 'Success' });
    });

    it('that the platform does not confirm are not told, and tried again', async () => {
      await open(byUrl);
      await bare(HANDSET);
      const url = merchant.simulator.charges()[0]?.callbackUrl as string;
      await deliver(url, resultBody('forged', url));
      const { lastError, state } = await worked(({ lastError: error }) => error !== null);
      expect(state).toBe('pending');
      expect(lastError).toMatch(/404/);
      expect(merchant.heard.events).toEqual([]);
    });

    it('with the id of another request of ours settle nothing', async () => {
      await open(byUrl);
      const mine = await merchant.payments.request(aRequestFrom(HANDSET));
      const other = await bare('+254700000001');
      await merchant.heard.next('incoming-payment.completed');
      const url = merchant.simulator.charges()[0]?.callbackUrl as string;
      await deliver(url, resultBody(other.id, url));
      await worked(({ body, lastError }) => body.includes(other.id) && lastError !== null);
      expect(await merchant.payments.find(mine.id)).toMatchObject({ state: 'pending' });
    });
  });

  it('of a bare payment are told when they are final, not before', async () => {
    await open();
    const { id } = await bare(HANDSET);
    const url = merchant.simulator.charges()[0]?.callbackUrl as string;
    await deliverSigned(
      url,
      resultBody(id, url, { status: 'Received' }),
      merchant.simulator.apiKey,
    );
    await worked(({ state }) => state === 'done');
    expect(merchant.heard.events).toEqual([]);
    await deliverSigned(url, resultBody(id, url), merchant.simulator.apiKey);
    await merchant.heard.next('incoming-payment.completed');
    expect(merchant.heard.events).toHaveLength(1);
  });

  it('of a bare payment are told when they are signed, though its URL has the MAC of a secret that was removed', async () => {
    await open();
    const { id } = await bare(HANDSET);
    const url = merchant.simulator.charges()[0]?.callbackUrl as string;
    const before = `${url}/${'x'.repeat(43)}`;
    await deliverSigned(url, resultBody(id, before), merchant.simulator.apiKey);
    await merchant.heard.next('incoming-payment.completed');
    expect(merchant.heard.events).toHaveLength(1);
  });

  it('of a bare payment that names no callback URL of ours are kept and not told', async () => {
    await open({ deliveries: { unmatchedForMs: 0 } });
    const { id } = await bare(HANDSET);
    store.clock.offsetMs = 1_000;
    const url = merchant.simulator.charges()[0]?.callbackUrl as string;
    for (const elsewhere of ['https://another.example/hook', 'callbacks', '']) {
      await deliverSigned(url, resultBody(id, elsewhere), merchant.simulator.apiKey);
    }
    await merchant.heard.next('delivery.unrecognised');
    expect(merchant.heard.named('incoming-payment.completed')).toEqual([]);
  });

  it('of our own sweeps are not told', async () => {
    await open();
    await merchant.payments.reconcile({ from: new Date(Date.now() - 60_000), to: new Date() });
    await merchant.simulator.idle();
    await worked(({ state }) => state === 'done');
    expect(merchant.heard.events).toEqual([]);
  });

  describe('that belong to no payment', () => {
    const nobodys = (): string =>
      resultBody('nobody', `${merchant.url}/payments/callbacks/incoming-payments/nobody`);
    const url = (): string => `${merchant.url}/payments/callbacks/incoming-payments/nobody`;

    it('wait for it: it may be on the way', async () => {
      await open();
      await deliverSigned(url(), nobodys(), merchant.simulator.apiKey);
      const { state, lastError } = await worked(({ lastError: error }) => error !== null);
      expect({ state, lastError }).toEqual({
        state: 'pending',
        lastError: 'no payment or request of this account is named by it',
      });
    });

    it('are told as unrecognised once they waited long enough, and can be replayed', async () => {
      await open({ deliveries: { unmatchedForMs: 50 } });
      await deliverSigned(url(), nobodys(), merchant.simulator.apiKey);
      const { deliveryId, topic } = await merchant.heard.next('delivery.unrecognised');
      expect(topic).toBe('incoming_payment');
      const inbox = merchant.app.get(Inbox);
      expect(await inbox.replay('nothing')).toBe(false);
      expect(await inbox.replay(deliveryId)).toBe(true);
      store.seen.clear();
      await worked(({ id, state }) => id === deliveryId && state === 'unrecognised');
      expect(merchant.heard.named('delivery.unrecognised')).toHaveLength(1);
    });
  });

  it('that cannot be taken for a day are told as unrecognised', async () => {
    await open();
    const { platformId, id } = await merchant.payments.request(aRequestFrom(HANDSET));
    const url = `${merchant.url}/payments/callbacks/incoming-payments/${id}`;
    store.failing = true;
    await deliverSigned(
      url,
      resultBody(platformId as string, url, {}, { sender_phone_number: HANDSET }),
      merchant.simulator.apiKey,
    );
    await worked(({ lastError }) => lastError === 'the index is broken');
    store.clock.offsetMs = 25 * HOUR;
    const { deliveryId } = await merchant.heard.next('delivery.unrecognised');
    store.failing = false;
    await merchant.app.get(Inbox).replay(deliveryId);
    expect((await merchant.heard.next('payment.succeeded')).payment.id).toBe(id);
  });

  describe('at a till', () => {
    const webhook = (resource: Record<string, unknown>): Promise<unknown> =>
      deliverSigned(
        merchant.payments.webhookUrl(),
        webhookBody({ sender_phone_number: HANDSET, ...resource }),
        merchant.simulator.apiKey,
      );

    it('are told without a payment when the payment of that payer has no outcome after ten seconds', async () => {
      await open();
      const { id } = await merchant.payments.request(aRequestFrom(HANDSET));
      await webhook({ reference: 'WAITS' });
      await worked(({ lastError }) => lastError?.includes('has no outcome yet') === true);
      expect(merchant.heard.events).toEqual([]);
      store.clock.offsetMs = 11_000;
      expect((await merchant.heard.next('till.transaction.received')).paymentId).toBeNull();
      expect(await merchant.payments.find(id)).toMatchObject({ state: 'pending' });
    });

    it('wait also for a payment that is just being sent', async () => {
      await open({ http: { createTimeoutMs: 10_000 } });
      merchant.simulator.faults.once('create-never-answers');
      void merchant.payments.request(aRequestFrom(HANDSET)).catch(() => undefined);
      while (merchant.simulator.charges().length === 0)
        await new Promise((resolve) => setTimeout(resolve, 5));
      await webhook({ reference: 'WAITS' });
      await worked(({ lastError }) => lastError?.includes('has no outcome yet') === true);
      expect(merchant.heard.events).toEqual([]);
    });

    it('wait while the platform cannot say what became of the payment', async () => {
      await open();
      await merchant.payments.request(aRequestFrom(HANDSET));
      merchant.simulator.faults.rate('read-404', 1);
      await webhook({ reference: 'WAITS' });
      await worked(({ lastError }) => lastError?.includes('has no outcome yet') === true);
      expect(merchant.heard.events).toEqual([]);
    });

    it.each([
      ['whose payer is somebody else', { sender_phone_number: '+254700000099' }],
      [
        'whose payer is a hash of somebody else',
        { hashed_sender_phone: 'a'.repeat(64), sender_phone_number: null },
      ],
      ['of another amount', { amount: '55.0' }],
    ])('%s wait for no payment', async (_, resource) => {
      await open();
      await merchant.payments.request(aRequestFrom(HANDSET));
      await webhook({ reference: 'NOW', ...resource });
      expect(await merchant.heard.next('till.transaction.received')).toMatchObject({
        paymentId: null,
        via: 'webhook',
      });
    });

    it.each([
      ['whose amount cannot be read', { amount: 'much' }],
      ['whose currency is missing', { currency: null }],
    ])('%s emit no event, and are counted', async (_, resource) => {
      await open();
      await webhook({ reference: 'ODD', ...resource });
      await webhook({ reference: 'EVEN' });
      const { transaction } = await merchant.heard.next('till.transaction.received');
      expect(transaction.reference).toBe('EVEN');
      const store = merchant.app.get(PaymentsStore, { strict: false });
      expect(await store.counts('default')).toMatchObject([
        { what: 'transaction with an unreadable amount', example: 'ODD' },
      ]);
    });

    it('make a payment of unknown outcome be looked for at once', async () => {
      await open();
      merchant.simulator.faults.once('create-5xx-before-commit');
      expect(await merchant.payments.request(aRequestFrom(HANDSET))).toMatchObject({
        state: 'unknown',
      });
      await webhook({ reference: 'NOW' });
      expect((await merchant.heard.next('till.transaction.received')).paymentId).toBeNull();
    });
  });

  it('cannot be recorded in a database transaction by a store that has no database', async () => {
    await open();
    const transaction = { query: async () => undefined };
    await expect(merchant.payments.record(aRequest(), { transaction })).rejects.toMatchObject({
      code: 'PAYMENTS_STORE_UNAVAILABLE',
      message: expect.stringContaining('PostgresStore'),
    });
  });

  it('of a payment that is not there are an error to wait for, to watch and to resolve', async () => {
    await open();
    const { payments } = merchant;
    const code = 'PAYMENTS_NOT_FOUND';
    await expect(payments.settled('nothing')).rejects.toMatchObject({ code });
    const word = { state: 'failed', by: 'ops', note: 'no' } as const;
    await expect(payments.resolve('nothing', word)).rejects.toMatchObject({ code });
    expect(await payments.find('nothing')).toBeNull();
    expect(await payments.findByIdempotencyKey('nothing')).toBeNull();
    expect(await payments.findTransaction({ reference: 'no', tillNumber: '514459' })).toBeNull();
    expect(await payments.history('nothing')).toEqual([]);
  });

  it('that do not come in time are an error that names the state', async () => {
    await open();
    const { id } = await merchant.payments.request(aRequestFrom(HANDSET));
    await expect(merchant.payments.settled(id, { timeoutMs: 20 })).rejects.toMatchObject({
      code: 'PAYMENTS_SETTLE_TIMEOUT',
      state: 'pending',
    });
  });
});
