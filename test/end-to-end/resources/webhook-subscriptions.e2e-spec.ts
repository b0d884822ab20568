import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WEBHOOK_TOPICS, WebhookSubscriptionsService } from '@tillkit/payments';
import { Merchant } from '../../support/merchant.js';

describe('Webhook subscriptions', () => {
  let merchant: Merchant;

  beforeAll(async () => {
    merchant = await Merchant.open();
  });

  afterAll(() => merchant.close());

  it('are created with the webhook URL of the application, and read back', async () => {
    const service = merchant.app.get(WebhookSubscriptionsService);
    const { id } = await service.create({
      eventType: 'buygoods_transaction_received',
      scope: 'till',
      scopeReference: '514459',
    });
    expect(merchant.lastPost('/webhook_subscriptions').body).toEqual({
      event_type: 'buygoods_transaction_received',
      url: merchant.webhookUrl,
      scope: 'till',
      scope_reference: '514459',
    });
    expect(await service.get(id)).toMatchObject({
      id,
      eventType: 'buygoods_transaction_received',
      url: merchant.webhookUrl,
      scopeReference: '514459',
      raw: { type: 'webhook_subscription' },
    });
  });

  it.each<[string, string, object]>([
    ['an event type that contains a space', 'eventType', { eventType: 'a b', scope: 'company' }],
    ['an unknown scope', 'scope', { eventType: 'customer_created', scope: 'world' }],
    [
      'the scope of a till and no till',
      'scopeReference',
      { eventType: 'buygoods_transaction_received', scope: 'till' },
    ],
    [
      'the scope of a company and a till',
      'scopeReference',
      { eventType: 'customer_created', scope: 'company', scopeReference: '514459' },
    ],
    [
      'Daraja payloads for customers',
      'enableDarajaPayload',
      { eventType: 'customer_created', scope: 'company', enableDarajaPayload: true },
    ],
    ...['customer_created', 'settlement_transfer_completed', 'm2m_transaction_received'].map(
      (eventType): [string, string, object] => [
        `a till as the scope of ${eventType}`,
        'scope',
        { eventType, scope: 'till', scopeReference: '514459' },
      ],
    ),
    ...[
      'buygoods_transaction_reversed',
      'b2b_transaction_reversed',
      'card_transaction_received',
      'card_transaction_voided',
      'card_transaction_reversed',
    ].map((eventType): [string, string, object] => [
      `the company as the scope of ${eventType}`,
      'scope',
      { eventType, scope: 'company' },
    ]),
    [
      'Daraja payloads for reversals',
      'enableDarajaPayload',
      {
        eventType: 'b2b_transaction_reversed',
        scope: 'till',
        scopeReference: '514459',
        enableDarajaPayload: true,
      },
    ],
    [
      'a plain http: URL',
      'url',
      { eventType: 'customer_created', scope: 'company', url: 'http://shop.example' },
    ],
  ])('are refused with %s', async (_, field, input) => {
    const refused = merchant.app.get(WebhookSubscriptionsService).create(input as never);
    await expect(refused).rejects.toMatchObject({
      problems: expect.arrayContaining([expect.objectContaining({ field })]),
    });
  });

  it('are refused with an error that names the field, the cause and the cure', async () => {
    const input = { eventType: 'customer_created', scope: 'till', scopeReference: '514459' };
    const refused = merchant.app.get(WebhookSubscriptionsService).create(input as never);
    await expect(refused).rejects.toThrow(
      'scope must be company, since the platform has customer_created for no other scope',
    );
  });

  it.each(WEBHOOK_TOPICS.map((topic) => [topic]))(
    'to %s are created with a scope that the platform has for it',
    async (eventType) => {
      const service = merchant.app.get(WebhookSubscriptionsService);
      const scopes = [{ scope: 'till', scopeReference: '514459' }, { scope: 'company' }] as const;
      const created = await Promise.allSettled(
        scopes.map((scope) => service.create({ eventType, ...scope })),
      );
      const refused = created.filter(({ status }) => status === 'rejected');
      expect(refused.length).toBeLessThan(2);
      // The package refuses a scope before it sends a request.
      for (const refusal of refused)
        expect(refusal).toMatchObject({ reason: { code: 'PAYMENTS_VALIDATION' } });
    },
  );
});
