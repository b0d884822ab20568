import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  SmsNotificationsService,
  SweepSchedule,
  WebhookSubscriptionsService,
} from '@tillkit/payments';
import { PaymentsStore } from '@tillkit/payments/store';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { aRequest, aRequestFrom, Merchant } from '../support/merchant.js';
import { PLATFORMS } from '../support/platforms.js';

const PAYER = '+254700000077';

describe.each(PLATFORMS)('till transactions on $platform', (platform) => {
  let merchant: Merchant;

  beforeEach(async () => {
    merchant = await Merchant.open({
      platform,
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
    deliverSigned(merchant.payments.webhookUrl(), body, merchant.simulator.apiKey);

  const pay = (changes = {}) =>
    merchant.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: PAYER,
      amount: 50,
      ...changes,
    });

  /** The platform's clock is known to half a second: a sweep at once may end just before what happened just now. */
  const sweepUntilTold = async (sweeps: SweepSchedule): Promise<void> => {
    while (merchant.heard.named('till.transaction.received').length === 0) {
      expect(await sweeps.sweep()).toBe(true);
    }
  };

  it('are told once, however many subscriptions tell of them', async () => {
    await subscribe();
    await subscribe();
    const { reference } = await pay();
    const { transaction, webhookEventId, paymentId } = await merchant.heard.next(
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
    await merchant.heard.next(
      'till.transaction.received',
      (event) => event.transaction.reference === 'LAST',
    );
    expect(merchant.heard.named('till.transaction.received')).toHaveLength(2);
    const found = await merchant.payments.findTransaction({
      reference: ` ${reference} `,
      tillNumber: '514459',
    });
    expect(found?.webhookEventIds).toHaveLength(2);
    expect(found?.webhookEventIds).toContain(webhookEventId);
  });

  it('that are the money of a payment name it, and the payment succeeds once', async () => {
    await subscribe();
    const payment = await merchant.payments.request(aRequest());
    const { paymentId } = await merchant.heard.next('till.transaction.received');
    expect(paymentId).toBe(payment.id);
    await merchant.simulator.idle();
    expect(merchant.heard.named('payment.succeeded')).toHaveLength(1);
  });

  it('heal a payment whose callback was lost, through a read', async () => {
    await subscribe();
    const payment = await merchant.payments.request(aRequestFrom('+254700000010'));
    const { via } = await merchant.heard.next('payment.succeeded');
    expect(via).toBe('status');
    expect((await merchant.heard.next('till.transaction.received')).paymentId).toBe(payment.id);
  });

  it('that were reversed reverse their payment, once', async () => {
    await subscribe();
    const reversals = {
      eventType: 'buygoods_transaction_reversed',
      scope: 'till',
      scopeReference: '514459',
    } as const;
    await merchant.app.get(WebhookSubscriptionsService).create(reversals);
    const payment = await merchant.payments.request(aRequest());
    const { transaction } = await merchant.heard.next('payment.succeeded');
    await merchant.simulator.reverse(transaction.reference as string);
    expect((await merchant.heard.next('payment.reversed')).payment).toMatchObject({
      id: payment.id,
      state: 'reversed',
    });
  });

  it('without reference or id are kept as unrecognised', async () => {
    await webhook(webhookBody({ reference: null, id: null }));
    await merchant.heard.next('delivery.unrecognised');
    expect(merchant.heard.named('till.transaction.received')).toHaveLength(0);
  });

  it('without reference are known by their id', async () => {
    await webhook(webhookBody({ reference: null, id: 'only-an-id' }));
    expect((await merchant.heard.next('till.transaction.received')).transaction).toMatchObject({
      id: 'only-an-id',
    });
  });

  it('told again with another amount are kept as first told', async () => {
    await webhook(webhookBody({ reference: 'TWICE', amount: '10.0' }));
    await merchant.heard.next('till.transaction.received');
    await webhook(webhookBody({ reference: 'TWICE', amount: '99.0' }));
    await webhook(webhookBody({ reference: 'LAST' }));
    await merchant.heard.next(
      'till.transaction.received',
      (event) => event.transaction.reference === 'LAST',
    );
    expect(
      await merchant.payments.findTransaction({ reference: 'TWICE', tillNumber: '514459' }),
    ).toMatchObject({ amount: '10.0' });
  });

  it('whose status does not say that money moved are anomalies, and are told once one says so', async () => {
    for (const status of ['Failed', 'Pending', 'Received'])
      await webhook(webhookBody({ reference: 'AFTER ALL', status }));
    const { transaction } = await merchant.heard.next('till.transaction.received');
    expect(transaction).toMatchObject({ reference: 'AFTER ALL', status: 'Received' });
    const counts = await merchant.app.get(PaymentsStore).counts('default');
    expect(counts.map(({ what }) => what)).toEqual(
      expect.arrayContaining(
        ['Failed', 'Pending'].map((status) => `status ${status} on buygoods_transaction_received`),
      ),
    );
    expect(merchant.heard.named('till.transaction.received')).toHaveLength(1);
  });

  it('that wait for their payments hold up no others', async () => {
    const phones = Array.from({ length: 60 }, (_, n) => `+2547000${String(n).padStart(3, '0')}14`);
    await Promise.all(phones.map((phone) => merchant.payments.request(aRequestFrom(phone))));
    await Promise.all(phones.map((phone) => webhook(webhookBody({ sender_phone_number: phone }))));
    await webhook(webhookBody({ reference: 'OTHER', amount: '7.0' }));
    const { transaction } = await merchant.heard.next('till.transaction.received');
    expect(transaction.reference).toBe('OTHER');
  });

  it('of the Daraja shape are read', async () => {
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
    const { transaction, webhookEventId } = await merchant.heard.next('till.transaction.received');
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

  it('older than what is remembered are kept and not told', async () => {
    await webhook(webhookBody({ reference: 'OLD', origination_time: '2019-01-01T00:00:00+03:00' }));
    await webhook(webhookBody({ reference: 'NEW' }));
    await merchant.heard.next(
      'till.transaction.received',
      (event) => event.transaction.reference === 'NEW',
    );
    expect(merchant.heard.named('till.transaction.received')).toHaveLength(1);
  });

  it('whose webhook never came are found by a sweep, and told once', async () => {
    const { reference } = await pay({ silent: true });
    const sweeps = merchant.app.get(SweepSchedule);
    await sweepUntilTold(sweeps);
    const { via, transaction } = await merchant.heard.next('till.transaction.received');
    expect({ via, reference: transaction.reference }).toEqual({ via: 'sweep', reference });
    await sweeps.sweep();
    await webhook(webhookBody({ reference, amount: '50.0' }));
    await webhook(webhookBody({ reference: 'LAST' }));
    await merchant.heard.next(
      'till.transaction.received',
      (event) => event.transaction.reference === 'LAST',
    );
    expect(merchant.heard.named('till.transaction.received')).toHaveLength(2);
    expect(merchant.heard.named('polling.completed')).toHaveLength(0);
  });

  it('from before sweeps first started are not told as news', async () => {
    await pay({ silent: true, originatedAt: Date.now() - 3_600_000, reference: 'HISTORY' });
    await pay({ silent: true, reference: 'NEWS' });
    await sweepUntilTold(merchant.app.get(SweepSchedule));
    expect((await merchant.heard.next('till.transaction.received')).transaction.reference).toBe(
      'NEWS',
    );
    expect(
      await merchant.payments.findTransaction({ reference: 'HISTORY', tillNumber: '514459' }),
    ).not.toBeNull();
    expect(merchant.heard.named('till.transaction.received')).toHaveLength(1);
  });

  it('can be thanked for by SMS, whose result is told', async () => {
    await subscribe();
    await pay();
    const { webhookEventId } = await merchant.heard.next('till.transaction.received');
    const sms = merchant.app.get(SmsNotificationsService);
    const { id } = await sms.create({
      webhookEventReference: webhookEventId as string,
      message: 'Asante!',
    });
    const { smsNotification } = await merchant.heard.next('sms-notification.completed');
    expect(smsNotification).toMatchObject({ id, status: 'Success', message: 'Asante!' });
    expect(await sms.get(id)).toMatchObject({ id, webhookEventReference: webhookEventId });
    expect(merchant.simulator.handset(PAYER).inbox()).toMatchObject([{ text: 'Asante!' }]);
  });
});
