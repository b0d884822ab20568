import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  IncomingPaymentsService,
  PaymentsValidationError,
  type CreateIncomingPaymentDto,
} from '@tillkit/payments';
import { deliverSigned } from '../../support/deliver.js';
import { Merchant } from '../../support/merchant.js';

const dto = (changes: Partial<CreateIncomingPaymentDto> = {}): CreateIncomingPaymentDto => ({
  subscriber: {
    firstName: 'Jane',
    lastName: 'Doe',
    phoneNumber: '+254700000001',
    email: 'jane@shop.example',
  },
  amount: { currency: 'KES', value: '100.50' },
  metadata: { customer_id: 'c-1', reference: 0, notes: '' },
  ...changes,
});

describe('Incoming payments', () => {
  let merchant: Merchant;

  beforeEach(async () => {
    merchant = await Merchant.open();
  });

  afterEach(() => merchant.close());

  it("are created with every field of the platform's interface, and read back", async () => {
    const service = merchant.app.get(IncomingPaymentsService);
    const { id, location } = await service.create(dto());
    expect(location).toBe(`${merchant.simulator.url}/api/v2/incoming_payments/${id}`);
    const { body, headers } = merchant.lastPost('/incoming_payments');
    expect(body).toMatchObject({
      payment_channel: 'M-PESA STK Push',
      till_number: '514459',
      subscriber: {
        first_name: 'Jane',
        last_name: 'Doe',
        phone_number: '+254700000001',
        email: 'jane@shop.example',
      },
      amount: { currency: 'KES', value: 100.5 },
      metadata: { customer_id: 'c-1', reference: 0, notes: '' },
    });
    expect(headers['content-type']).toBe('application/json');
    expect(headers['accept']).toBe('application/json');
    expect(headers['user-agent']).toMatch(/^tillkit-payments\/\d+\.\d+\.\d+ \(node\/[\d.]+\)$/);

    const { incomingPayment } = await merchant.received.next('incoming-payment.completed');
    expect(incomingPayment).toMatchObject({
      id,
      status: 'Success',
      metadata: { customer_id: 'c-1', reference: 0, notes: '' },
    });
    expect(await service.get(id)).toMatchObject({
      id,
      event: {
        type: 'Incoming Payment Request',
        errors: [],
        resource: { amount: '100.5', currency: 'KES', status: 'Received' },
      },
      raw: { type: 'incoming_payment', attributes: { status: 'Success' } },
    });
    expect(merchant.received.named('payment.succeeded')).toHaveLength(0);
  });

  it('are created with the middle name of the customer, which the transaction shows', async () => {
    const subscriber = { ...dto().subscriber, middleName: 'Wanjiru' };
    await merchant.app.get(IncomingPaymentsService).create(dto({ subscriber }));
    expect(merchant.lastPost('/incoming_payments').body).toMatchObject({
      subscriber: { first_name: 'Jane', middle_name: 'Wanjiru', last_name: 'Doe' },
    });
    const { incomingPayment } = await merchant.received.next('incoming-payment.completed');
    expect(incomingPayment.event.resource).toMatchObject({ senderMiddleName: 'Wanjiru' });
  });

  it('have their result posted to the URL that the host names', async () => {
    const callbackUrl = `${merchant.url}/elsewhere`;
    await merchant.app
      .get(IncomingPaymentsService)
      .create(dto({ callbackUrl, tillNumber: 'K000123' }));
    expect(merchant.lastPost('/incoming_payments').body).toMatchObject({
      _links: { callback_url: callbackUrl },
      till_number: 'K000123',
    });
  });

  it('emit one event for each id, however often their result is delivered', async () => {
    const { id } = await merchant.app.get(IncomingPaymentsService).create(dto());
    await merchant.received.next('incoming-payment.completed');
    const [delivery] = merchant.simulator.deliveries.list({ paymentId: id });
    await merchant.simulator.deliveries.resend(delivery?.id as string);
    await deliverSigned(merchant.webhookUrl, 'not JSON', merchant.simulator.apiKey);
    await merchant.received.next('delivery.unrecognised');
    expect(merchant.received.named('incoming-payment.completed')).toHaveLength(1);
  });

  it('emit the result of a failure with the errors of the platform', async () => {
    await merchant.app
      .get(IncomingPaymentsService)
      .create(
        dto({ subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000003' } }),
      );
    const { incomingPayment } = await merchant.received.next('incoming-payment.completed');
    expect(incomingPayment).toMatchObject({
      status: 'Failed',
      event: { resource: null, errors: ['The initiator information is invalid.'] },
    });
  });

  it.each(['+254999999999', '+254911222536', '0911 222 536'])(
    "are created for %s, a phone number of the platform's examples, because this platform is a simulator",
    async (phoneNumber) => {
      await merchant.app
        .get(IncomingPaymentsService)
        .create(dto({ subscriber: { firstName: 'J', lastName: 'D', phoneNumber } }));
      expect(merchant.lastPost('/incoming_payments').body).toMatchObject({
        subscriber: { phone_number: expect.stringMatching(/^\+2549(99999999|11222536)$/) },
      });
    },
  );

  it.each(['0700000001', '700000001', '254700000001', '+254 700 000 001', ' 0700-000-001 '])(
    'are created for a phone number written as "%s"',
    async (phoneNumber) => {
      await merchant.app
        .get(IncomingPaymentsService)
        .create(dto({ subscriber: { firstName: 'J', lastName: 'D', phoneNumber } }));
      expect(merchant.lastPost('/incoming_payments').body).toMatchObject({
        subscriber: { phone_number: '+254700000001' },
      });
    },
  );

  it('are refused for a phone number without + when no default country is set', async () => {
    const other = await Merchant.open({ payments: { defaultCountry: undefined } });
    const refused = other.app
      .get(IncomingPaymentsService)
      .create(dto({ subscriber: { firstName: 'J', lastName: 'D', phoneNumber: '0700000001' } }));
    await expect(refused).rejects.toThrow(/PAYMENTS_DEFAULT_COUNTRY/);
    await other.close();
  });

  it('are refused when neither the request nor the settings name a till', async () => {
    const other = await Merchant.open({ payments: { tillNumber: undefined } });
    await expect(other.app.get(IncomingPaymentsService).create(dto())).rejects.toThrow(
      /PAYMENTS_TILL_NUMBER/,
    );
    await other.close();
  });
});

describe('Incoming payments are refused before anything is sent', () => {
  let merchant: Merchant;

  beforeAll(async () => {
    merchant = await Merchant.open();
  });

  afterAll(() => merchant.close());

  const subscriber = dto().subscriber;
  const without = <T extends object>(object: T, key: keyof T): T => {
    const { [key]: _, ...rest } = object;
    return rest as T;
  };

  it.each<[string, string, unknown]>([
    ['metadata of six keys', 'metadata', dto({ metadata: { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 } })],
    ['nested metadata', 'metadata', dto({ metadata: { a: {} } as never })],
    [
      'metadata with the value Infinity',
      'metadata',
      dto({ metadata: { a: Number.POSITIVE_INFINITY } }),
    ],
    ['metadata that is a list', 'metadata', dto({ metadata: [] as never })],
    [
      'a phone number without digits',
      'subscriber.phoneNumber',
      dto({ subscriber: { ...subscriber, phoneNumber: 'phone' } }),
    ],
    [
      'a phone number that is too short',
      'subscriber.phoneNumber',
      dto({ subscriber: { ...subscriber, phoneNumber: '+25470000' } }),
    ],
    [
      'a plain http: callback URL',
      'callbackUrl',
      dto({ callbackUrl: 'http://shop.example/callback' }),
    ],
    ['a callback URL without an origin', 'callbackUrl', dto({ callbackUrl: '/callback' })],
    [
      'a callback URL with a password',
      'callbackUrl',
      dto({ callbackUrl: 'https://a:b@shop.example/' }),
    ],
    [
      'a currency that ISO 4217 does not know',
      'amount.currency',
      dto({ amount: { currency: 'KSH', value: '1' } }),
    ],
    [
      'a currency in lower case',
      'amount.currency',
      dto({ amount: { currency: 'kes', value: '1' } }),
    ],
    ['an amount of 0', 'amount.value', dto({ amount: { currency: 'KES', value: '0.00' } })],
    ['a negative amount', 'amount.value', dto({ amount: { currency: 'KES', value: '-1' } })],
    ['an amount of NaN', 'amount.value', dto({ amount: { currency: 'KES', value: 'NaN' } })],
    [
      'an amount that is a number',
      'amount.value',
      dto({ amount: { currency: 'KES', value: 100 as never } }),
    ],
    [
      'an amount with an exponent',
      'amount.value',
      dto({ amount: { currency: 'KES', value: '1e2' } }),
    ],
    ['an amount with spaces', 'amount.value', dto({ amount: { currency: 'KES', value: ' 100' } })],
    [
      'an amount of Kenyan shillings with three decimals',
      'amount.value',
      dto({ amount: { currency: 'KES', value: '1.001' } }),
    ],
    [
      'an amount of Ugandan shillings with decimals',
      'amount.value',
      dto({ amount: { currency: 'UGX', value: '1.5' } }),
    ],
    [
      'an amount with more digits than a number can carry',
      'amount.value',
      dto({ amount: { currency: 'KES', value: '12345678901234.56' } }),
    ],
    ['a till without digits', 'tillNumber', dto({ tillNumber: 'till' })],
    ['a till that is only a K', 'tillNumber', dto({ tillNumber: 'K' })],
    ['an empty channel', 'paymentChannel', dto({ paymentChannel: ' ' })],
    [
      'an invalid e-mail address',
      'subscriber.email',
      dto({ subscriber: { ...subscriber, email: 'jane' } }),
    ],
    [
      'no first name',
      'subscriber.firstName',
      dto({ subscriber: without(subscriber, 'firstName') }),
    ],
    ['no last name', 'subscriber.lastName', dto({ subscriber: without(subscriber, 'lastName') })],
    ['no phone', 'subscriber.phoneNumber', dto({ subscriber: without(subscriber, 'phoneNumber') })],
    ['no subscriber', 'subscriber', without(dto(), 'subscriber')],
    ['no amount', 'amount', without(dto(), 'amount')],
    ['no amount value', 'amount.value', dto({ amount: { currency: 'KES' } as never })],
    ['an unknown field', 'urgent', { ...dto(), urgent: true }],
    [
      'an unknown field of the subscriber',
      'subscriber.nickname',
      dto({ subscriber: { ...subscriber, nickname: 'J' } as never }),
    ],
    ['no fields, because the input is undefined', 'the input', undefined],
    ['no fields, because the input is a list', 'the input', []],
  ])('when they have %s', async (_, field, input) => {
    const error: unknown = await merchant.app
      .get(IncomingPaymentsService)
      .create(input as CreateIncomingPaymentDto)
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(PaymentsValidationError);
    expect((error as PaymentsValidationError).problems.map((problem) => problem.field)).toContain(
      field,
    );
    expect(merchant.simulator.charges()).toHaveLength(0);
    expect(
      merchant.simulator.journal.entries().filter(({ type }) => type === 'request'),
    ).toHaveLength(0);
  });

  it.each([
    ['two dots', '..'],
    ['a dot', '.'],
    ['a slash', 'a/b'],
    ['a question mark', 'a?b'],
    ['an escaped slash', 'a%2fb'],
    ['no character', ''],
    ['129 characters', 'x'.repeat(129)],
  ])('when the id to read has %s, because it could become another URL', async (_, id) => {
    await expect(merchant.app.get(IncomingPaymentsService).get(id)).rejects.toThrow(
      PaymentsValidationError,
    );
    expect(merchant.simulator.journal.entries()).toHaveLength(0);
  });
});
