import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  MemoryStore,
  SmsNotificationsService,
  SweepsService,
  WebhookSubscriptionsService,
} from '@tillkit/payments';
import { anomaliesOf } from '../support/anomalies.js';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { aRequest, aRequestFrom, Merchant } from '../support/merchant.js';
import { until } from '../support/until.js';

const PAYER = '+254700000077';

describe('Till transactions', () => {
  let merchant: Merchant;

  beforeEach(async () => {
    merchant = await Merchant.open({
      payments: { reconciliation: { sweepEveryMs: 0, requestsPerSecond: 1000 } },
    });
  });

  afterEach(() => merchant.close());

  const subscribe = (): Promise<unknown> =>
    merchant.app.get(WebhookSubscriptionsService).create({
      eventType: 'buygoods_transaction_received',
      scope: 'till',
      scopeReference: '514459',
    });

  const webhook = (body: string): Promise<unknown> =>
    deliverSigned(merchant.webhookUrl, body, merchant.simulator.apiKey);

  const pay = (changes = {}) =>
    merchant.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: PAYER,
      amount: 50,
      ...changes,
    });

  /** We know the platform's clock to half a second: a sweep that starts now may miss money of this moment. */
  const sweepUntilReceived = async (sweeps: SweepsService): Promise<void> => {
    while (merchant.received.named('till.transaction.received').length === 0) {
      expect(await sweeps.sweep()).toBe(true);
    }
  };

  it('emit one event, however many subscriptions report them', async () => {
    await subscribe();
    await subscribe();
    const { reference } = await pay();
    const { transaction, webhookEventId, paymentId } = await merchant.received.next(
      'till.transaction.received',
    );
    expect(transaction).toMatchObject({
      reference,
      amount: '50.0',
      senderPhoneNumber: PAYER,
      sendingTill: null,
    });
    expect(paymentId).toBeNull();
    await merchant.simulator.idle();
    await webhook(webhookBody({ reference: 'LAST' }));
    await merchant.received.next(
      'till.transaction.received',
      (event) => event.transaction.reference === 'LAST',
    );
    expect(merchant.received.named('till.transaction.received')).toHaveLength(2);
    const found = await merchant.payments.findTransaction({
      reference: ` ${reference} `,
      tillNumber: '514459',
    });
    expect(found?.webhookEventIds).toHaveLength(2);
    expect(found?.webhookEventIds).toContain(webhookEventId);
  });

  it('that are the money of a payment name the payment, which succeeds once', async () => {
    await subscribe();
    const payment = await merchant.payments.request(aRequest());
    const { paymentId } = await merchant.received.next('till.transaction.received');
    expect(paymentId).toBe(payment.id);
    await merchant.simulator.idle();
    expect(merchant.received.named('payment.succeeded')).toHaveLength(1);
  });

  it('settle a payment whose callback was lost, through a status read', async () => {
    await subscribe();
    const payment = await merchant.payments.request(aRequestFrom('+254700000010'));
    const { via } = await merchant.received.next('payment.succeeded');
    expect(via).toBe('status');
    expect((await merchant.received.next('till.transaction.received')).paymentId).toBe(payment.id);
  });

  it('that were reversed reverse their payment', async () => {
    await subscribe();
    const reversals = {
      eventType: 'buygoods_transaction_reversed',
      scope: 'till',
      scopeReference: '514459',
    } as const;
    await merchant.app.get(WebhookSubscriptionsService).create(reversals);
    const payment = await merchant.payments.request(aRequest());
    const { transaction } = await merchant.received.next('payment.succeeded');
    await merchant.simulator.reverse(transaction.reference as string);
    expect((await merchant.received.next('payment.reversed')).payment).toMatchObject({
      id: payment.id,
      state: 'reversed',
    });
  });

  it('without reference and id are kept as unrecognised deliveries', async () => {
    await webhook(webhookBody({ reference: null, id: null }));
    await merchant.received.next('delivery.unrecognised');
    expect(merchant.received.named('till.transaction.received')).toHaveLength(0);
  });

  it('without reference are recognised by their id', async () => {
    await webhook(webhookBody({ reference: null, id: 'only-an-id' }));
    expect((await merchant.received.next('till.transaction.received')).transaction).toMatchObject({
      id: 'only-an-id',
    });
  });

  it('keep their amount when they are reported again with another amount', async () => {
    await webhook(webhookBody({ reference: 'TWICE', amount: '10.0' }));
    await merchant.received.next('till.transaction.received');
    await webhook(webhookBody({ reference: 'TWICE', amount: '99.0' }));
    await webhook(webhookBody({ reference: 'LAST' }));
    await merchant.received.next(
      'till.transaction.received',
      (event) => event.transaction.reference === 'LAST',
    );
    expect(
      await merchant.payments.findTransaction({ reference: 'TWICE', tillNumber: '514459' }),
    ).toMatchObject({ amount: '10.0' });
  });

  it('are anomalies while their status does not say that money moved, and emit one event afterwards', async () => {
    for (const status of ['Failed', 'Pending', 'Received'])
      await webhook(webhookBody({ reference: 'AFTER ALL', status }));
    const { transaction } = await merchant.received.next('till.transaction.received');
    expect(transaction).toMatchObject({ reference: 'AFTER ALL', status: 'Received' });
    for (const status of ['Failed', 'Pending']) {
      const odd = `status ${status} on buygoods_transaction_received`;
      await until(async () => (await anomaliesOf(merchant.store)).some(({ what }) => what === odd));
    }
    expect(merchant.received.named('till.transaction.received')).toHaveLength(1);
  });

  it('that wait for their payments delay no other transactions', async () => {
    await merchant.close();
    const now = Date.now();
    // In this store, no wait ends.
    merchant = await Merchant.open({ payments: { store: new MemoryStore(() => now) } });
    const phones = Array.from({ length: 60 }, (_, n) => `+2547000${String(n).padStart(3, '0')}14`);
    await Promise.all(phones.map((phone) => merchant.payments.request(aRequestFrom(phone))));
    await Promise.all(phones.map((phone) => webhook(webhookBody({ sender_phone_number: phone }))));
    await webhook(webhookBody({ reference: 'OTHER', amount: '7.0' }));
    const { transaction } = await merchant.received.next('till.transaction.received');
    expect(transaction.reference).toBe('OTHER');
  });

  it('are read in the Daraja format', async () => {
    await webhook(
      JSON.stringify({
        TransactionType: 'Buy Goods',
        TransID: 'DARAJA1',
        TransTime: '20261121083000',
        TransAmount: '75.50',
        BusinessShortCode: '514459',
        MSISDN: 'f'.repeat(64),
        FirstName: 'Jane',
      }),
    );
    const { transaction, webhookEventId } = await merchant.received.next(
      'till.transaction.received',
    );
    expect(transaction).toMatchObject({
      reference: 'DARAJA1',
      amount: '75.50',
      currency: 'KES',
      originationTime: '2026-11-21T05:30:00.000Z',
      senderPhoneNumber: null,
      hashedSenderPhone: 'f'.repeat(64),
    });
    expect(webhookEventId).toBeNull();
  });

  it('that are older than our records are kept and emit no event', async () => {
    await webhook(webhookBody({ reference: 'OLD', origination_time: '2019-01-01T00:00:00+03:00' }));
    await webhook(webhookBody({ reference: 'NEW' }));
    await merchant.received.next(
      'till.transaction.received',
      (event) => event.transaction.reference === 'NEW',
    );
    expect(merchant.received.named('till.transaction.received')).toHaveLength(1);
  });

  it('without a webhook are found by a sweep, and emit one event', async () => {
    const { reference } = await pay({ silent: true });
    const sweeps = merchant.app.get(SweepsService);
    await sweepUntilReceived(sweeps);
    const { via, transaction } = await merchant.received.next('till.transaction.received');
    expect({ via, reference: transaction.reference }).toEqual({ via: 'sweep', reference });
    await sweeps.sweep();
    await webhook(webhookBody({ reference, amount: '50.0' }));
    await webhook(webhookBody({ reference: 'LAST' }));
    await merchant.received.next(
      'till.transaction.received',
      (event) => event.transaction.reference === 'LAST',
    );
    expect(merchant.received.named('till.transaction.received')).toHaveLength(2);
    expect(merchant.received.named('polling.completed')).toHaveLength(0);
  });

  it('from before the first sweep emit no event', async () => {
    await pay({ silent: true, originatedAt: Date.now() - 3_600_000, reference: 'HISTORY' });
    await pay({ silent: true, reference: 'RECENT' });
    await sweepUntilReceived(merchant.app.get(SweepsService));
    expect((await merchant.received.next('till.transaction.received')).transaction.reference).toBe(
      'RECENT',
    );
    expect(
      await merchant.payments.findTransaction({ reference: 'HISTORY', tillNumber: '514459' }),
    ).not.toBeNull();
    expect(merchant.received.named('till.transaction.received')).toHaveLength(1);
  });

  it('can be acknowledged by SMS, whose result emits an event', async () => {
    await subscribe();
    await pay();
    const { webhookEventId } = await merchant.received.next('till.transaction.received');
    const sms = merchant.app.get(SmsNotificationsService);
    const { id } = await sms.create({
      webhookEventReference: webhookEventId as string,
      message: 'Asante!',
    });
    const { smsNotification } = await merchant.received.next('sms-notification.completed');
    expect(smsNotification).toMatchObject({ id, status: 'Success', message: 'Asante!' });
    expect(await sms.get(id)).toMatchObject({ id, webhookEventReference: webhookEventId });
    expect(merchant.simulator.handset(PAYER).inbox()).toMatchObject([{ text: 'Asante!' }]);
  });
});
