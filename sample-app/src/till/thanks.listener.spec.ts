import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import {
  PlatformRejectedError,
  UnknownOutcomeError,
  type PaymentsEvents,
  type PaymentsService,
  type SmsNotificationsService,
} from '@tillkit/payments';
import { ShopFeed } from '../shop.feed.js';
import { MemoryTillRepository } from './memory-till.repository.js';
import { ThanksListener } from './thanks.listener.js';

type Received = PaymentsEvents['till.transaction.received'];

const EVENT = {
  webhookEventId: 'event-1',
  transaction: {
    amount: '650.0',
    currency: 'KES',
    reference: 'REF1',
    senderFirstName: 'Jane',
    sendingTill: null,
  },
} as Received;

describe('ThanksListener', () => {
  const create = jest.fn<SmsNotificationsService['create']>();
  let till: MemoryTillRepository;
  let listener: ThanksListener;

  beforeEach(async () => {
    Logger.overrideLogger(false);
    create.mockReset().mockResolvedValue({ id: 'sms-1', location: '/sms-1' });
    till = new MemoryTillRepository();
    listener = new ThanksListener(
      till,
      { create } as unknown as SmsNotificationsService,
      {} as PaymentsService,
      new ShopFeed(),
    );
    await till.add({
      id: '1',
      amount: '650.0',
      currency: 'KES',
      reference: 'REF1',
      payer: 'Jane',
      phone: null,
      receivedAt: '',
      webhookEventId: 'event-1',
      paymentId: null,
      orderNumber: null,
    });
  });

  const state = () => till.thanksForReference('REF1');

  it('thanks once, however often it is called', async () => {
    await Promise.all([listener.thank(EVENT), listener.thank(EVENT)]);
    await listener.thank(EVENT);
    expect(create.mock.calls).toEqual([
      [
        {
          webhookEventReference: 'event-1',
          message: 'Asante, Jane! Kibanda received KES 650. Receipt REF1.',
        },
      ],
    ]);
    expect(await state()).toBe('asked');
  });

  it('does not ask again when the SMS may have been sent', async () => {
    create.mockRejectedValue(new UnknownOutcomeError('create', new Error('reset')));
    await listener.thank(EVENT);
    await listener.thank(EVENT);
    expect(create).toHaveBeenCalledTimes(1);
    expect(await state()).toBe('unclear');
  });

  it('does not ask again for what the platform refuses', async () => {
    const answer = { operation: 'create', status: 422, platformMessages: [] };
    create.mockRejectedValue(new PlatformRejectedError(answer));
    await listener.thank(EVENT);
    await listener.thank(EVENT);
    expect(create).toHaveBeenCalledTimes(1);
    expect(await state()).toBe('failed');
  });

  it('is called again when the SMS was certainly not sent', async () => {
    create.mockRejectedValueOnce(new Error('store away'));
    await expect(listener.thank(EVENT)).rejects.toThrow('store away');
    await listener.thank(EVENT);
    expect(create).toHaveBeenCalledTimes(2);
    expect(await state()).toBe('asked');
  });

  it('thanks nobody for money of which no webhook told, or that came from a till', async () => {
    await listener.thank({ ...EVENT, webhookEventId: null });
    await listener.thank({
      ...EVENT,
      transaction: { ...EVENT.transaction, sendingTill: '514460' },
    });
    expect(create).not.toHaveBeenCalled();
  });

  it.each([
    ['Success', 'sent'],
    ['Failed', 'failed'],
    [null, 'failed'],
  ] as const)('notes the outcome %s as %s', async (status, outcome) => {
    await listener.thank(EVENT);
    await listener.noteSent({
      smsNotification: { webhookEventReference: 'event-1', status },
    } as PaymentsEvents['sms-notification.completed']);
    expect(await state()).toBe(outcome);
  });
});
