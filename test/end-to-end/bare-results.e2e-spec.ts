import { afterEach, describe, expect, it } from '@jest/globals';
import {
  IncomingPaymentsService,
  PollingService,
  SmsNotificationsService,
  WebhookSubscriptionsService,
  type PaymentsOptions,
} from '@tillkit/payments';
import { deliver, deliverSigned, resultBody, webhookBody } from '../support/deliver.js';
import { aRequestFrom, Merchant } from '../support/merchant.js';
import { requestsTo } from '../support/platform.requests.js';
import { WatchedDeliveries } from '../support/watched.deliveries.js';

const HANDSET = '+254700000014';
/** The result of a polling with so many transactions is larger than any callback that we take. */
const LARGE = 3_000;
const WITHOUT_API_KEY = { apiKeys: [], urlSecrets: ['a-secret-of-more-than-32-characters-0001'] };

describe('Results of bare requests', () => {
  let merchant: Merchant;
  let watched: WatchedDeliveries;

  const open = async (payments: PaymentsOptions = {}): Promise<Merchant> => {
    watched = new WatchedDeliveries();
    merchant = await Merchant.open({ payments: watched.options(payments) });
    return merchant;
  };

  afterEach(() => merchant.close());

  const bare = (phoneNumber: string) => {
    const { idempotencyKey: _, ...dto } = aRequestFrom(phoneNumber);
    return merchant.app.get(IncomingPaymentsService).create(dto);
  };

  const poll = () =>
    merchant.app.get(PollingService).create({
      fromTime: new Date(Date.now() - 60_000).toISOString(),
      toTime: new Date(Date.now() + 60_000).toISOString(),
    });

  describe('without an API key', () => {
    it('are read from the platform before polling.completed is emitted', async () => {
      await open(WITHOUT_API_KEY);
      const { id } = await poll();
      const { polling, via } = await merchant.received.next('polling.completed');
      expect({ id: polling.id, status: polling.status, via }).toEqual({
        id,
        status: 'Success',
        via: 'callback',
      });
      expect(requestsTo(merchant.simulator, `/polling/${id}`)).toHaveLength(1);
    });

    it('are read from the platform before sms-notification.completed is emitted', async () => {
      await open(WITHOUT_API_KEY);
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
      const { webhookEventId } = await merchant.received.next('till.transaction.received');
      const sms = merchant.app.get(SmsNotificationsService);
      const { id } = await sms.create({
        webhookEventReference: webhookEventId as string,
        message: 'Asante!',
      });
      expect(
        (await merchant.received.next('sms-notification.completed')).smsNotification,
      ).toMatchObject({ id, status: 'Success' });
    });

    it('are read from the platform before incoming-payment.completed is emitted', async () => {
      await open(WITHOUT_API_KEY);
      const { id } = await bare('+254700000001');
      const { incomingPayment } = await merchant.received.next('incoming-payment.completed');
      expect(incomingPayment).toMatchObject({ id, status: 'Success' });
    });

    it('emit no event while the platform does not confirm them, and are processed again', async () => {
      await open(WITHOUT_API_KEY);
      await bare(HANDSET);
      const url = merchant.simulator.charges()[0]?.callbackUrl as string;
      await deliver(url, resultBody('forged', url));
      const { lastError, state } = await watched.processed(
        ({ lastError: error }) => error !== null,
      );
      expect(state).toBe('pending');
      expect(lastError).toMatch(/404/);
      expect(merchant.received.events).toEqual([]);
    });

    it('settle no payment when they have the id of another request of ours', async () => {
      await open(WITHOUT_API_KEY);
      const mine = await merchant.payments.request(aRequestFrom(HANDSET));
      const other = await bare('+254700000001');
      await merchant.received.next('incoming-payment.completed');
      const url = merchant.simulator.charges()[0]?.callbackUrl as string;
      await deliver(url, resultBody(other.id, url));
      await watched.processed(
        ({ body, lastError }) => body.includes(other.id) && lastError !== null,
      );
      expect(await merchant.payments.find(mine.id)).toMatchObject({ state: 'pending' });
    });
  });

  it('emit an event when they are final, not before', async () => {
    await open();
    const { id } = await bare(HANDSET);
    const url = merchant.simulator.charges()[0]?.callbackUrl as string;
    await deliverSigned(
      url,
      resultBody(id, url, { status: 'Received' }),
      merchant.simulator.apiKey,
    );
    await watched.processed(({ state }) => state === 'done');
    expect(merchant.received.events).toEqual([]);
    await deliverSigned(url, resultBody(id, url), merchant.simulator.apiKey);
    await merchant.received.next('incoming-payment.completed');
    expect(merchant.received.events).toHaveLength(1);
  });

  it('emit an event when they are signed, also when their URL has the MAC of a removed secret', async () => {
    await open();
    const { id } = await bare(HANDSET);
    const url = merchant.simulator.charges()[0]?.callbackUrl as string;
    const before = `${url}/${'x'.repeat(43)}`;
    await deliverSigned(url, resultBody(id, before), merchant.simulator.apiKey);
    await merchant.received.next('incoming-payment.completed');
    expect(merchant.received.events).toHaveLength(1);
  });

  it('are kept and emit no event when they name no callback URL of ours', async () => {
    await open({ deliveries: { unmatchedForMs: 0 } });
    const { id } = await bare(HANDSET);
    watched.offsetMs = 1_000;
    const url = merchant.simulator.charges()[0]?.callbackUrl as string;
    for (const elsewhere of ['https://another.example/hook', 'callbacks', '']) {
      await deliverSigned(url, resultBody(id, elsewhere), merchant.simulator.apiKey);
    }
    await merchant.received.next('delivery.unrecognised');
    expect(merchant.received.named('incoming-payment.completed')).toEqual([]);
  });

  it('emit no event when the request came from our own sweep', async () => {
    await open();
    await merchant.reconciliation.report({ from: new Date(Date.now() - 60_000), to: new Date() });
    await merchant.simulator.idle();
    await watched.processed(({ state }) => state === 'done');
    expect(merchant.received.events).toEqual([]);
  });

  it('are read when their callback is too large to come, and emit polling.completed', async () => {
    merchant = await Merchant.open({ speed: 100, payments: { reconciliation: false } });
    const payments = Array.from({ length: LARGE }, () =>
      merchant.simulator.payTill({
        tillNumber: '514459',
        phoneNumber: HANDSET,
        amount: 5,
        silent: true,
      }),
    );
    await Promise.all(payments);
    const { id } = await poll();
    const { polling, via } = await merchant.received.next('polling.completed');
    expect({ id: polling.id, via }).toEqual({ id, via: 'status' });
    expect(polling.transactions).toHaveLength(LARGE);
    expect(JSON.stringify(polling.raw).length).toBeGreaterThan(1024 * 1024);
  });

  it('emit polling.completed when they are ready, not before', async () => {
    await open();
    const { id } = await merchant.app.get(PollingService).create({
      fromTime: new Date(Date.now() - 1000).toISOString(),
      toTime: new Date().toISOString(),
      callbackUrl: `${merchant.url}/payments/callbacks/polling/bare-1`,
    });
    await merchant.received.next('polling.completed').catch(() => undefined);
    const other = JSON.stringify({
      data: {
        id: 'two',
        type: 'polling',
        attributes: {
          status: 'Pending',
          transactions: [],
          _links: { callback_url: `${merchant.url}/payments/callbacks/polling/bare-2` },
        },
      },
    });
    await deliverSigned(
      `${merchant.url}/payments/callbacks/polling/bare-2`,
      other,
      merchant.simulator.apiKey,
    );
    await deliverSigned(
      merchant.webhookUrl,
      webhookBody({ reference: 'LAST' }),
      merchant.simulator.apiKey,
    );
    await merchant.received.next('till.transaction.received');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(merchant.received.named('polling.completed').map(({ polling }) => polling.id)).toEqual([
      id,
    ]);
  });
});
