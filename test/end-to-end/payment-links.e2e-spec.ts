import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { filter, firstValueFrom } from 'rxjs';
import {
  WebhookSubscriptionsService,
  type PaymentLink,
  type RequestPaymentLink,
} from '@tillkit/payments';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { aRequestFrom, Merchant } from '../support/merchant.js';

const DAY_MS = 24 * 3_600_000;

describe('A payment link', () => {
  let merchant: Merchant;

  beforeEach(async () => {
    merchant = await Merchant.open({
      payments: { reconciliation: { scheduleMs: [20], intervalMs: 10 } },
    });
    await merchant.app.get(WebhookSubscriptionsService).create({
      eventType: 'buygoods_transaction_received',
      scope: 'till',
      scopeReference: '514459',
    });
  });

  afterEach(() => merchant.close());

  const aLink = (changes: Partial<RequestPaymentLink> = {}): RequestPaymentLink => ({
    idempotencyKey: randomUUID(),
    amount: { currency: 'KES', value: '100.00' },
    paymentReference: 'order 7',
    ...changes,
  });
  const made = (): Promise<PaymentLink> => merchant.links.request(aLink());
  const hoursFrom = (hours: number): Date =>
    new Date(merchant.simulator.clock.now() + hours * 3_600_000);
  const pay = (link: PaymentLink, phoneNumber = '+254700000001'): Promise<unknown> =>
    merchant.simulator.payLink(link.platformId ?? '', { phoneNumber });

  it('has a URL as soon as the platform shows it, and is paid once', async () => {
    const asked = await made();
    expect(asked).toMatchObject({ state: 'pending', paymentReference: 'order 7' });
    const link = await firstValueFrom(
      merchant.links.watch(asked.id).pipe(filter(({ url }) => url !== null)),
    );
    expect(link.expiresAt?.getTime()).toBeGreaterThan(merchant.simulator.clock.now());
    const page = await fetch(new URL(link.url ?? '', merchant.simulator.url));
    expect(page.status).toBe(200);
    await pay(link);
    const { paymentLink, transaction } = await merchant.received.next('payment-link.paid');
    expect(paymentLink).toMatchObject({ id: link.id, state: 'succeeded' });
    expect(transaction).toMatchObject({ amount: '100', tillNumber: '514459' });
    const till = await merchant.received.next('till.transaction.received');
    expect(till).toMatchObject({ paymentLinkId: link.id, paymentId: null });
    await merchant.simulator.idle();
    expect(merchant.received.named('payment-link.paid')).toHaveLength(1);
    expect(
      await merchant.payments.findTransaction({
        reference: transaction.reference,
        tillNumber: '514459',
      }),
    ).toMatchObject({ paymentLinkId: link.id, paymentId: null });
  });

  it('is named as what it is: in a report, and where the id of a payment is asked', async () => {
    const link = await made();
    await pay(link);
    const { transaction } = await merchant.received.next('payment-link.paid');
    const [line] = (await merchant.reconciliation.report({ from: hoursFrom(-1), to: hoursFrom(1) }))
      .matched;
    expect(line).toMatchObject({ paymentLinkId: link.id, paymentId: null });
    expect(await merchant.payments.history(link.id)).toEqual([]);
    const refund = { idempotencyKey: randomUUID(), why: 'Out of stock' };
    await expect(merchant.refunds.request({ ...refund, paymentId: link.id })).rejects.toThrow(
      /is a payment link: refund its money by the reference and tillNumber/,
    );
    const typed = transaction.reference.toLowerCase();
    expect(
      await merchant.refunds.request({ ...refund, reference: typed, tillNumber: '514459' }),
    ).toMatchObject({ reference: transaction.reference, paymentId: null });
  });

  it('is found by reading when its callback never comes', async () => {
    merchant.simulator.faults.rate('lose', 1);
    const link = await made();
    await pay(link);
    const { via } = await merchant.received.next('payment-link.paid');
    expect(via).toBe('status');
  });

  it('asks a person about another amount that its till reports at last, after an amount that cannot be read', async () => {
    const link = await made();
    merchant.simulator.faults.rate('lose', 1);
    await pay(link);
    const { transaction } = await merchant.received.next('payment-link.paid');
    const { reference } = transaction;
    for (const amount of ['99,0', '99.0'])
      await deliverSigned(
        merchant.webhookUrl,
        webhookBody({ reference, amount }),
        merchant.simulator.apiKey,
      );
    const { paymentLink, cause } = await merchant.received.next('payment-link.needs_review');
    expect(cause).toBe('amount_mismatch');
    expect(paymentLink).toMatchObject({ id: link.id, state: 'succeeded' });
  });

  it('that is cancelled cannot be paid, and emits payment-link.cancelled once', async () => {
    const link = await made();
    const cancelled = await Promise.all([
      merchant.links.cancel(link.id),
      merchant.links.cancel(link.id),
    ]);
    for (const each of cancelled)
      expect(each).toMatchObject({ state: 'failed', reason: 'cancelled' });
    await expect(pay(link)).rejects.toBeDefined();
    await merchant.received.next('payment-link.cancelled');
    expect(await merchant.links.cancel(link.id)).toMatchObject({ reason: 'cancelled' });
    expect(merchant.received.named('payment-link.cancelled')).toHaveLength(1);
  });

  it('that was paid first cannot be cancelled', async () => {
    const link = await made();
    await pay(link);
    await merchant.received.next('payment-link.paid');
    await expect(merchant.links.cancel(link.id)).rejects.toMatchObject({
      code: 'PAYMENTS_NOT_CANCELLABLE',
    });
  });

  it('that nobody pays in its time expires', async () => {
    const link = await made();
    await merchant.simulator.clock.advance(8 * DAY_MS);
    const { paymentLink } = await merchant.received.next('payment-link.expired');
    expect(paymentLink).toMatchObject({ id: link.id, state: 'failed', reason: 'expired' });
  });

  it('is made once for one key, and another request with the key is refused', async () => {
    const request = aLink();
    const links = await Promise.all([
      merchant.links.request(request),
      merchant.links.request(request),
    ]);
    expect(links[1].id).toBe(links[0].id);
    expect(merchant.simulator.links()).toHaveLength(1);
    await expect(
      merchant.links.request({ ...request, amount: { currency: 'KES', value: '101' } }),
    ).rejects.toMatchObject({ code: 'PAYMENTS_IDEMPOTENCY_CONFLICT' });
  });

  it('that the platform refuses fails, with its message', async () => {
    const link = await merchant.links.request(aLink({ tillNumber: '999999' }));
    expect(link).toMatchObject({ state: 'failed', reason: 'rejected' });
    const { errors } = await merchant.received.next('payment-link.failed');
    expect(errors.join()).toContain('Till number is invalid');
  });

  it('does not take the money of a payment of the same amount, and the payment not its money', async () => {
    const link = await made();
    const { id } = await merchant.payments.request(aRequestFrom('+254700000001'));
    await merchant.received.next('payment.succeeded');
    expect(await merchant.links.find(link.id)).toMatchObject({ state: 'pending' });
    await pay(link);
    await merchant.received.next('payment-link.paid');
    await merchant.simulator.idle();
    const owners = (): unknown[] =>
      merchant.received
        .named('till.transaction.received')
        .map(({ paymentId, paymentLinkId }) => paymentId ?? paymentLinkId);
    await merchant.received.next(
      'till.transaction.received',
      (event) => event.paymentLinkId !== null,
    );
    expect(new Set(owners())).toEqual(new Set([id, link.id]));
  });
});
