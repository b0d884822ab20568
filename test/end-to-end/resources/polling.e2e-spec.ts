import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PollingService } from '@tillkit/payments';
import { Merchant } from '../../support/merchant.js';

const WINDOW = { fromTime: '2026-01-01T00:00:00+03:00', toTime: '2026-01-01T01:00:00+03:00' };

describe('Polling', () => {
  let merchant: Merchant;

  beforeAll(async () => {
    merchant = await Merchant.open();
  });

  afterAll(() => merchant.close());

  it('lists the transactions of a window, emits its result, and can be read back', async () => {
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
    const { polling } = await merchant.received.next('polling.completed');
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

  it.each<[string, string, object]>([
    [
      'a window that ends before it starts',
      'toTime',
      { fromTime: WINDOW.toTime, toTime: WINDOW.fromTime },
    ],
    ['an empty window', 'toTime', { fromTime: WINDOW.fromTime, toTime: WINDOW.fromTime }],
    ['a time without a UTC offset', 'fromTime', { ...WINDOW, fromTime: '2026-01-01T00:00:00' }],
    ['no start of its window', 'fromTime', { toTime: WINDOW.toTime }],
    [
      'the scope of a till and no till',
      'scopeReference',
      { ...WINDOW, scope: 'till', scopeReference: '' },
    ],
    [
      'a plain http: callback URL',
      'callbackUrl',
      { ...WINDOW, callbackUrl: 'http://shop.example' },
    ],
  ])('is refused with %s', async (_, field, input) => {
    const refused = merchant.app.get(PollingService).create(input as never);
    await expect(refused).rejects.toMatchObject({
      problems: expect.arrayContaining([expect.objectContaining({ field })]),
    });
  });

  it('throws the status of the platform when it reads an unknown id', async () => {
    await expect(merchant.app.get(PollingService).get('unknown-id')).rejects.toMatchObject({
      status: 404,
    });
  });
});
