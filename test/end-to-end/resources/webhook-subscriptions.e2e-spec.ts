import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WebhookSubscriptionsService } from '@tillkit/payments';
import { Merchant } from '../../support/merchant.js';
import { PLATFORMS } from '../../support/platforms.js';

describe.each(PLATFORMS)('Webhook subscriptions on $platform', (platform) => {
  let merchant: Merchant;

  beforeEach(async () => {
    merchant = await Merchant.open({ platform });
  });

  afterEach(() => merchant.close());

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
});
