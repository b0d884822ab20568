import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PlatformRejectedError, SmsNotificationsService } from '@tillkit/payments';
import { Merchant } from '../../support/merchant.js';

describe('SMS notifications', () => {
  let merchant: Merchant;

  beforeAll(async () => {
    merchant = await Merchant.open();
  });

  afterAll(() => merchant.close());

  it('throw the status of the platform when it refuses them', async () => {
    const sms = merchant.app
      .get(SmsNotificationsService)
      .create({ webhookEventReference: 'nobody-knows', message: 'Hello' });
    await expect(sms).rejects.toThrow(PlatformRejectedError);
    await expect(sms).rejects.toMatchObject({ code: 'PAYMENTS_REJECTED', status: 422 });
  });

  it.each<[string, string, object]>([
    ['no webhook event', 'webhookEventReference', { message: 'Hello' }],
    [
      'an invalid id of a webhook event',
      'webhookEventReference',
      { webhookEventReference: '../x', message: 'Hello' },
    ],
    ['an empty message', 'message', { webhookEventReference: 'x', message: '' }],
  ])('are refused with %s', async (_, field, input) => {
    const refused = merchant.app.get(SmsNotificationsService).create(input as never);
    await expect(refused).rejects.toMatchObject({
      problems: expect.arrayContaining([expect.objectContaining({ field })]),
    });
  });
});
