import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  BarePaymentLinksService,
  PaymentsValidationError,
  PlatformRejectedError,
  UnknownOutcomeError,
} from '@tillkit/payments';
import { Merchant } from '../../support/merchant.js';
import { scripted } from '../../support/scripted.merchant.js';
import { created, json } from '../../support/scripted.platform.js';

const PATH = '/api/v2/payment_links';
const CREATE = `POST ${PATH}`;
const CANCEL = `POST ${PATH}/one/cancel`;
const AMOUNT = { currency: 'KES', value: '100.50' };

describe('Bare payment links', () => {
  const { platform, open } = scripted();
  let service: BarePaymentLinksService;

  beforeEach(async () => {
    platform.on(CREATE, created('one', PATH));
    service = (await open()).app.get(BarePaymentLinksService);
  });

  it('are created in the format of the platform', async () => {
    await service.create({
      tillNumber: '000123',
      amount: AMOUNT,
      paymentReference: 'order-1',
      note: 'Thank you',
      metadata: { order: '1' },
    });
    expect(platform.received(CREATE)).toEqual([
      {
        till_number: '000123',
        currency: 'KES',
        amount: 100.5,
        payment_reference: 'order-1',
        note: 'Thank you',
        metadata: { order: '1' },
        _links: { callback_url: expect.stringMatching(/\/callbacks\/payment-links\/bare-[\w-]+$/) },
      },
    ]);
  });

  it('are created for the till of the settings', async () => {
    await service.create({ amount: AMOUNT });
    expect(platform.received(CREATE)).toMatchObject([{ till_number: '514459', amount: 100.5 }]);
  });

  it('are refused when neither the request nor the settings name a till', async () => {
    const payments = { ...platform.settings, tillNumber: undefined };
    const other = await Merchant.open({ payments });
    const refused = other.app.get(BarePaymentLinksService).create({ amount: AMOUNT });
    await expect(refused).rejects.toThrow(/PAYMENTS_TILL_NUMBER/);
    await other.close();
  });

  it.each([
    ['no amount', 'amount', {}],
    ['an amount of 0', 'amount.value', { amount: { currency: 'KES', value: '0' } }],
    ['an empty note', 'note', { amount: AMOUNT, note: '' }],
  ])('are refused with %s', async (_, field, input) => {
    await expect(service.create(input as never)).rejects.toMatchObject({
      problems: [expect.objectContaining({ field })],
    });
    expect(platform.count(CREATE)).toBe(0);
  });

  it('are never created again when the outcome of the create is unknown', async () => {
    platform.on(CREATE, json(500, {}));
    await expect(service.create({ amount: AMOUNT })).rejects.toThrow(UnknownOutcomeError);
    expect(platform.count(CREATE)).toBe(1);
  });

  it('are cancelled, and an attempt without an answer is repeated', async () => {
    platform.on(CANCEL, json(500, {}), json(200, { message: 'Payment link cancelled.' }));
    await service.cancel('one');
    expect(platform.received(CANCEL)).toEqual([{}, {}]);
  });

  it('throw what the platform says when it refuses to cancel them', async () => {
    platform.on(CANCEL, json(400, { error_message: 'Payment link is paid' }));
    const refused = service.cancel('one');
    await expect(refused).rejects.toThrow(PlatformRejectedError);
    await expect(refused).rejects.toThrow(/Payment link is paid/);
    expect(platform.count(CANCEL)).toBe(1);
  });

  it('are not cancelled with an id that could become another URL', async () => {
    await expect(service.cancel('../one')).rejects.toThrow(PaymentsValidationError);
    expect(platform.asked).toEqual([]);
  });

  it('are read', async () => {
    const attributes = { status: 'Processed', payment_link: { payment_link_status: 'Active' } };
    const body = { data: { id: 'one', type: 'payment_link', attributes } };
    platform.on(`GET ${PATH}/one`, json(200, body));
    expect(await service.get('one')).toMatchObject({ id: 'one', link: { status: 'Active' } });
  });
});
