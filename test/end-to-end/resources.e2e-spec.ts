import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  IncomingPaymentsService,
  PaymentsValidationError,
  PlatformRejectedError,
  PollingService,
  SmsNotificationsService,
  WebhookSubscriptionsService,
  type CreateIncomingPaymentDto,
} from '@tillkit/payments';
import { deliverSigned } from '../support/deliver.js';
import { Merchant } from '../support/merchant.js';
import { PLATFORMS } from '../support/platforms.js';

const WINDOW = { fromTime: '2026-01-01T00:00:00+03:00', toTime: '2026-01-01T01:00:00+03:00' };

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

describe.each(PLATFORMS)('the bare resources on $platform', (platform) => {
  let merchant: Merchant;

  beforeEach(async () => {
    merchant = await Merchant.open({ platform });
  });

  afterEach(() => merchant.close());

  /** The last request to a path, as the platform received it. */
  const received = (
    path: string,
  ): { body: Record<string, unknown>; headers: Record<string, string> } => {
    const entry = merchant.simulator.journal
      .entries()
      .findLast((one) => one.type === 'request' && one.method === 'POST' && one.url.endsWith(path));
    if (entry?.type !== 'request') throw new Error(`no request to ${path}`);
    return {
      body: JSON.parse(entry.body) as Record<string, unknown>,
      headers: { ...entry.headers },
    };
  };

  describe('incoming payments', () => {
    it('are created with every field of the spec, and read back', async () => {
      const service = merchant.app.get(IncomingPaymentsService);
      const { id, location } = await service.create(dto());
      expect(location).toBe(`${merchant.simulator.url}/api/v2/incoming_payments/${id}`);
      const { body, headers } = received('/incoming_payments');
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

      const { incomingPayment } = await merchant.heard.next('incoming-payment.completed');
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
      expect(merchant.heard.named('payment.succeeded')).toHaveLength(0);
    });

    it('post their result to the URL that the host names', async () => {
      const callbackUrl = `${merchant.url}/elsewhere`;
      await merchant.app
        .get(IncomingPaymentsService)
        .create(dto({ callbackUrl, tillNumber: 'K000123' }));
      expect(received('/incoming_payments').body).toMatchObject({
        _links: { callback_url: callbackUrl },
        till_number: 'K000123',
      });
    });

    it('are told once per id, however often their result comes', async () => {
      const { id } = await merchant.app.get(IncomingPaymentsService).create(dto());
      await merchant.heard.next('incoming-payment.completed');
      const [delivery] = merchant.simulator.deliveries.list({ paymentId: id });
      await merchant.simulator.deliveries.resend(delivery?.id as string);
      await deliverSigned(merchant.payments.webhookUrl(), 'not JSON', merchant.simulator.apiKey);
      await merchant.heard.next('delivery.unrecognised');
      expect(merchant.heard.named('incoming-payment.completed')).toHaveLength(1);
    });

    it('that failed are told as they are', async () => {
      await merchant.app
        .get(IncomingPaymentsService)
        .create(
          dto({ subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000003' } }),
        );
      const { incomingPayment } = await merchant.heard.next('incoming-payment.completed');
      expect(incomingPayment).toMatchObject({
        status: 'Failed',
        event: { resource: null, errors: ['The initiator information is invalid.'] },
      });
    });
  });

  describe('webhook subscriptions', () => {
    it('are created with our own URL, and read back', async () => {
      const service = merchant.app.get(WebhookSubscriptionsService);
      const { id } = await service.create({
        eventType: 'buygoods_transaction_received',
        scope: 'till',
        scopeReference: '514459',
      });
      expect(received('/webhook_subscriptions').body).toEqual({
        event_type: 'buygoods_transaction_received',
        url: merchant.payments.webhookUrl(),
        scope: 'till',
        scope_reference: '514459',
      });
      expect(await service.get(id)).toMatchObject({
        id,
        eventType: 'buygoods_transaction_received',
        url: merchant.payments.webhookUrl(),
        scopeReference: '514459',
        raw: { type: 'webhook_subscription' },
      });
    });
  });

  describe('polling', () => {
    it('lists the transactions of a window, is told, and read back', async () => {
      const at = Date.parse('2026-01-01T00:30:00+03:00');
      await merchant.simulator.payTill({
        tillNumber: '514459',
        phoneNumber: '+254700000001',
        amount: 5,
        originatedAt: at,
        silent: true,
      });
      await merchant.simulator.payTill({
        tillNumber: '514459',
        phoneNumber: '+254700000001',
        amount: 6,
        originatedAt: at,
        silent: true,
        sendingTill: 'Other Shop',
      });
      const service = merchant.app.get(PollingService);
      const { id } = await service.create(WINDOW);
      const { polling } = await merchant.heard.next('polling.completed');
      expect(polling).toMatchObject({
        id,
        status: 'Success',
        scope: 'Company',
        scopeReference: '',
      });
      expect((await service.get(id)).transactions).toMatchObject([
        {
          type: 'Buygoods Transaction',
          amount: '5.0',
          status: 'Received',
          senderPhoneNumber: '+254700000001',
          sendingTill: null,
        },
        {
          type: 'External Till to Till Transaction',
          amount: '6.0',
          status: 'Complete',
          sendingTill: 'Other Shop',
          senderPhoneNumber: null,
        },
      ]);
    });
  });

  describe('an input that breaks a rule', () => {
    const subscriber = dto().subscriber;
    const without = <T extends object>(object: T, key: keyof T): T => {
      const { [key]: _, ...rest } = object;
      return rest as T;
    };

    it.each<[string, string, unknown]>([
      [
        'metadata of six keys',
        'metadata',
        dto({ metadata: { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 } }),
      ],
      ['nested metadata', 'metadata', dto({ metadata: { a: {} } as never })],
      ['metadata of infinity', 'metadata', dto({ metadata: { a: Number.POSITIVE_INFINITY } })],
      ['metadata that is a list', 'metadata', dto({ metadata: [] as never })],
      [
        'a phone that is none',
        'subscriber.phoneNumber',
        dto({ subscriber: { ...subscriber, phoneNumber: 'phone' } }),
      ],
      [
        'a phone of another length',
        'subscriber.phoneNumber',
        dto({ subscriber: { ...subscriber, phoneNumber: '+25470000' } }),
      ],
      [
        'a plain http: callback',
        'callbackUrl',
        dto({ callbackUrl: 'http://shop.example/callback' }),
      ],
      ['a callback that is no URL', 'callbackUrl', dto({ callbackUrl: '/callback' })],
      [
        'a callback with a password',
        'callbackUrl',
        dto({ callbackUrl: 'https://a:b@shop.example/' }),
      ],
      [
        'a currency that ISO 4217 does not know',
        'amount.currency',
        dto({ amount: { currency: 'KSH', value: '1' } }),
      ],
      [
        'a currency in small letters',
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
      [
        'an amount with spaces',
        'amount.value',
        dto({ amount: { currency: 'KES', value: ' 100' } }),
      ],
      [
        'more decimals than shillings of Kenya have',
        'amount.value',
        dto({ amount: { currency: 'KES', value: '1.001' } }),
      ],
      [
        'decimals of shillings of Uganda',
        'amount.value',
        dto({ amount: { currency: 'UGX', value: '1.5' } }),
      ],
      [
        'more digits than a number carries',
        'amount.value',
        dto({ amount: { currency: 'KES', value: '12345678901234.56' } }),
      ],
      ['a till without digits', 'tillNumber', dto({ tillNumber: 'till' })],
      ['a till of only K', 'tillNumber', dto({ tillNumber: 'K' })],
      ['an empty channel', 'paymentChannel', dto({ paymentChannel: ' ' })],
      [
        'an e-mail that is none',
        'subscriber.email',
        dto({ subscriber: { ...subscriber, email: 'jane' } }),
      ],
      [
        'a missing first name',
        'subscriber.firstName',
        dto({ subscriber: without(subscriber, 'firstName') }),
      ],
      [
        'a missing last name',
        'subscriber.lastName',
        dto({ subscriber: without(subscriber, 'lastName') }),
      ],
      [
        'a missing phone',
        'subscriber.phoneNumber',
        dto({ subscriber: without(subscriber, 'phoneNumber') }),
      ],
      ['a missing subscriber', 'subscriber', without(dto(), 'subscriber')],
      ['a missing amount', 'amount', without(dto(), 'amount')],
      ['a missing amount value', 'amount.value', dto({ amount: { currency: 'KES' } as never })],
      ['an unknown field', 'urgent', { ...dto(), urgent: true }],
      [
        'an unknown field within',
        'subscriber.nickname',
        dto({ subscriber: { ...subscriber, nickname: 'J' } as never }),
      ],
      ['nothing', 'the input', undefined],
      ['a list', 'the input', []],
    ])('of incoming payments is refused: %s', async (_, field, input) => {
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

    it.each<[string, string, object]>([
      ['a reversed window', 'toTime', { fromTime: WINDOW.toTime, toTime: WINDOW.fromTime }],
      ['an empty window', 'toTime', { fromTime: WINDOW.fromTime, toTime: WINDOW.fromTime }],
      ['a time without offset', 'fromTime', { ...WINDOW, fromTime: '2026-01-01T00:00:00' }],
      ['a missing time', 'fromTime', { toTime: WINDOW.toTime }],
      [
        'a till scope without till',
        'scopeReference',
        { ...WINDOW, scope: 'till', scopeReference: '' },
      ],
      ['a plain http: callback', 'callbackUrl', { ...WINDOW, callbackUrl: 'http://shop.example' }],
    ])('of polling is refused: %s', async (_, field, input) => {
      const refused = merchant.app.get(PollingService).create(input as never);
      await expect(refused).rejects.toMatchObject({
        problems: expect.arrayContaining([expect.objectContaining({ field })]),
      });
    });

    it.each<[string, string, object]>([
      ['an event type of spaces', 'eventType', { eventType: 'a b', scope: 'company' }],
      ['an unknown scope', 'scope', { eventType: 'customer_created', scope: 'world' }],
      [
        'a till scope without till',
        'scopeReference',
        { eventType: 'buygoods_transaction_received', scope: 'till' },
      ],
      [
        'a company scope with till',
        'scopeReference',
        { eventType: 'customer_created', scope: 'company', scopeReference: '514459' },
      ],
      [
        'Daraja payloads of customers',
        'enableDarajaPayload',
        { eventType: 'customer_created', scope: 'company', enableDarajaPayload: true },
      ],
      [
        'a plain http: URL',
        'url',
        { eventType: 'customer_created', scope: 'company', url: 'http://shop.example' },
      ],
    ])('of subscriptions is refused: %s', async (_, field, input) => {
      const refused = merchant.app.get(WebhookSubscriptionsService).create(input as never);
      await expect(refused).rejects.toMatchObject({
        problems: expect.arrayContaining([expect.objectContaining({ field })]),
      });
    });

    it.each<[string, string, object]>([
      ['no event', 'webhookEventReference', { message: 'Hello' }],
      [
        'an event id that is none',
        'webhookEventReference',
        { webhookEventReference: '../x', message: 'Hello' },
      ],
      ['an empty message', 'message', { webhookEventReference: 'x', message: '' }],
    ])('of SMS notifications is refused: %s', async (_, field, input) => {
      const refused = merchant.app.get(SmsNotificationsService).create(input as never);
      await expect(refused).rejects.toMatchObject({
        problems: expect.arrayContaining([expect.objectContaining({ field })]),
      });
    });

    it.each(['..', '.', 'a/b', 'a?b', 'a%2fb', '', 'x'.repeat(129)])(
      'is an id such as "%s", which never becomes a URL',
      async (id) => {
        await expect(merchant.app.get(IncomingPaymentsService).get(id)).rejects.toThrow(
          PaymentsValidationError,
        );
        expect(merchant.simulator.journal.entries()).toHaveLength(0);
      },
    );
  });

  it('say what the platform said when it refuses', async () => {
    const sms = merchant.app
      .get(SmsNotificationsService)
      .create({ webhookEventReference: 'nobody-knows', message: 'Hello' });
    await expect(sms).rejects.toThrow(PlatformRejectedError);
    await expect(sms).rejects.toMatchObject({ code: 'PAYMENTS_REJECTED', status: 422 });
    await expect(merchant.app.get(PollingService).get('unknown-id')).rejects.toMatchObject({
      status: 404,
    });
  });

  it.each(['0700000001', '700000001', '254700000001', '+254 700 000 001', ' 0700-000-001 '])(
    'take a phone number written as "%s"',
    async (phoneNumber) => {
      await merchant.app
        .get(IncomingPaymentsService)
        .create(dto({ subscriber: { firstName: 'J', lastName: 'D', phoneNumber } }));
      expect(received('/incoming_payments').body).toMatchObject({
        subscriber: { phone_number: '+254700000001' },
      });
    },
  );

  it('send no number without + when no default country is set', async () => {
    const other = await Merchant.open({ platform, payments: { defaultCountry: undefined } });
    const refused = other.app
      .get(IncomingPaymentsService)
      .create(dto({ subscriber: { firstName: 'J', lastName: 'D', phoneNumber: '0700000001' } }));
    await expect(refused).rejects.toThrow(/PAYMENTS_DEFAULT_COUNTRY/);
    await other.close();
  });

  it('need a till from the request or the settings', async () => {
    const other = await Merchant.open({ platform, payments: { tillNumber: undefined } });
    await expect(other.app.get(IncomingPaymentsService).create(dto())).rejects.toThrow(
      /PAYMENTS_TILL_NUMBER/,
    );
    await other.close();
  });
});
