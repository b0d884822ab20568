import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  IncomingPaymentsService,
  type PaymentsValidationError,
  WebhookSubscriptionsService,
  type Payment,
  type RequestRefund,
} from '@tillkit/payments';
import { confirmFailure } from '../support/confirmed-failures.js';
import { aRequestFrom, Merchant } from '../support/merchant.js';

const DAY_MS = 24 * 3_600_000;

const why = 'The goods are out of stock';

describe('A refund', () => {
  let merchant: Merchant;

  beforeEach(async () => {
    merchant = await Merchant.open({
      payments: { reconciliation: { scheduleMs: [20], intervalMs: 10 } },
    });
    await merchant.app.get(WebhookSubscriptionsService).create({
      eventType: 'buygoods_transaction_reversed',
      scope: 'till',
      scopeReference: '514459',
    });
  });

  afterEach(() => merchant.close());

  const paidBy = async (phoneNumber = '+254700000001'): Promise<Payment> => {
    const { id } = await merchant.payments.request(aRequestFrom(phoneNumber));
    return (await merchant.received.next('payment.succeeded', ({ payment }) => payment.id === id))
      .payment;
  };
  const ofPayment = (paymentId: string): RequestRefund => ({
    idempotencyKey: randomUUID(),
    paymentId,
    why,
  });
  const balance = (): number => merchant.simulator.balance('till:514459');
  const asked = (): number => merchant.simulator.refunds().length;

  it('sends the whole money back, and the payment is reversed once', async () => {
    const payment = await paidBy();
    const refund = await merchant.refunds.request(ofPayment(payment.id));
    expect(refund).toMatchObject({
      state: 'pending',
      paymentId: payment.id,
      reference: payment.transaction?.reference,
      amount: { currency: 'KES', value: '100.00' },
    });
    const { refund: done } = await merchant.received.next('refund.succeeded');
    expect(done.refundReference).toEqual(expect.any(String));
    expect(done.refundReference).not.toBe(done.reference);
    const { payment: reversed, transaction } = await merchant.received.next('payment.reversed');
    expect(reversed).toMatchObject({ id: payment.id, state: 'reversed' });
    expect(transaction.reference).toBe(payment.transaction?.reference);
    await merchant.received.next('till.transaction.reversed');
    await merchant.simulator.idle();
    for (const name of [
      'refund.succeeded',
      'payment.reversed',
      'till.transaction.reversed',
    ] as const)
      expect(merchant.received.named(name)).toHaveLength(1);
    expect(balance()).toBe(0);
  });

  it('of money that no payment requested is asked for by its reference and till', async () => {
    await merchant.app.get(WebhookSubscriptionsService).create({
      eventType: 'buygoods_transaction_received',
      scope: 'till',
      scopeReference: '514459',
    });
    const { reference } = await merchant.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: '+254700000001',
      amount: 50,
    });
    await merchant.received.next('till.transaction.received');
    await merchant.refunds.request({
      idempotencyKey: 'r',
      reference,
      tillNumber: '514459',
      why,
    });
    const { refund } = await merchant.received.next('refund.succeeded');
    expect(refund).toMatchObject({ paymentId: null, amount: { value: '50.00' } });
    expect(balance()).toBe(0);
  });

  it('fails when the platform says twice that nothing went back, and can be asked for again', async () => {
    const payment = await paidBy();
    merchant.simulator.payout('+254700000001', 'cancelled');
    const { id } = await merchant.refunds.request(ofPayment(payment.id));
    await confirmFailure(merchant.simulator, merchant.refunds, id);
    const { via } = await merchant.received.next('refund.failed');
    expect(via).toBe('status');
    expect(await merchant.payments.find(payment.id)).toMatchObject({ state: 'succeeded' });
    expect(balance()).toBe(10_000);
    merchant.simulator.payout('+254700000001', 'transferred');
    await merchant.refunds.request(ofPayment(payment.id));
    await merchant.received.next('refund.succeeded');
    expect(balance()).toBe(0);
  });

  it('is sent once for the same money, however many keys are used', async () => {
    const payment = await paidBy();
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => merchant.refunds.request(ofPayment(payment.id))),
    );
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(4);
    for (const result of refused)
      expect(result).toMatchObject({ reason: { code: 'PAYMENTS_NOT_REFUNDABLE' } });
    await merchant.received.next('refund.succeeded');
    await expect(merchant.refunds.request(ofPayment(payment.id))).rejects.toMatchObject({
      code: 'PAYMENTS_NOT_REFUNDABLE',
    });
    expect(asked()).toBe(1);
  });

  it('with the same key is the same refund, also after the money went back', async () => {
    const payment = await paidBy();
    const request = ofPayment(payment.id);
    const { id } = await merchant.refunds.request(request);
    await merchant.received.next('refund.succeeded');
    await merchant.received.next('payment.reversed');
    expect(await merchant.refunds.request(request)).toMatchObject({ id, state: 'succeeded' });
    expect(asked()).toBe(1);
  });

  it('of a payment that did not succeed is refused, and nothing is sent', async () => {
    const { id } = await merchant.payments.request(aRequestFrom('+254700000002'));
    await merchant.received.next('payment.failed');
    for (const paymentId of [id, 'nothing'])
      await expect(merchant.refunds.request(ofPayment(paymentId))).rejects.toMatchObject({
        code: 'PAYMENTS_NOT_REFUNDABLE',
      });
    const unknown = { idempotencyKey: 'k', reference: 'NOTHING', tillNumber: '514459', why };
    await expect(merchant.refunds.request(unknown)).rejects.toMatchObject({
      code: 'PAYMENTS_NOT_REFUNDABLE',
    });
    expect(asked()).toBe(0);
  });

  it('of money that is older than 30 days is refused, and nothing is sent', async () => {
    const payment = await paidBy();
    await merchant.simulator.clock.advance(31 * DAY_MS);
    // The platform's clock is the median of its last answers.
    const { platformId } = payment;
    for (let read = 0; read < 9; read += 1)
      await merchant.app.get(IncomingPaymentsService).get(platformId ?? '');
    await expect(merchant.refunds.request(ofPayment(payment.id))).rejects.toMatchObject({
      reason: 'too_old',
      message: expect.stringContaining('older than 30 days'),
    });
    expect(asked()).toBe(0);
  });

  it('names what is missing or given twice', async () => {
    const refused = async (input: object): Promise<unknown> =>
      merchant.refunds
        .request(input as RequestRefund)
        .catch(({ problems }: PaymentsValidationError) => problems);
    expect(await refused({ idempotencyKey: 'k', why })).toMatchObject([
      { field: 'reference' },
      { field: 'tillNumber' },
    ]);
    const both = { ...ofPayment('p'), reference: 'R', tillNumber: '514459' };
    expect(await refused(both)).toMatchObject([{ field: 'reference' }, { field: 'tillNumber' }]);
  });
});
