import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { balanceOf } from '../testing/money-out.fixture.js';
import { idOf } from '../testing/platform-client.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

const PATH = '/api/v1/payments';

describe('A payment of version 1 at the simulator', () => {
  let platform: Platform;
  let reference: string;

  beforeEach(async () => {
    platform = await startPlatform({ openingBalances: { '514459': 1_000 } });
    const created = await platform.client.post('/api/v1/pay_recipients', {
      type: 'mobile_wallet',
      pay_recipient: {
        first_name: 'Jane',
        last_name: 'Doe',
        phone_number: '+254700000001',
        network: 'Safaricom',
      },
    });
    const { body } = await platform.client.get(`/api/v1/pay_recipients/${idOf(created)}`);
    reference = String(body.data.attributes.recipient_reference);
  });

  afterEach(() => platform.stop());

  const pay = async (changes: Record<string, unknown> = {}) => {
    const answer = await platform.client.post(PATH, {
      destination_type: 'mobile_wallet',
      destination_reference: reference,
      amount: { currency: 'KES', value: 20 },
      description: 'Wages',
      tags: ['a', 'b'],
      metadata: { run: '7' },
      _links: { callback_url: platform.receiver.url },
      ...changes,
    });
    await platform.simulator.idle();
    return answer;
  };

  it('pays the recipient, and reads as the platform publishes it', async () => {
    const id = idOf(await pay());
    expect(balanceOf(platform, 'mobile_wallet:+254700000001')).toBe(2_000);
    const { body } = await platform.client.get(`${PATH}/${id}`);
    expect(body.data).toEqual({
      id,
      type: 'payment',
      attributes: {
        status: 'Processed',
        created_at: expect.any(String),
        amount: { currency: 'KES', value: 20 },
        transfer_batches: [
          {
            status: 'Transferred',
            disbursements: [
              {
                amount: '20.0',
                status: 'Transferred',
                destination_type: 'Mobile Wallet',
                origination_time: expect.any(String),
                destination_reference: reference,
                transaction_reference: platform.simulator.payouts()[0]!.destinations[0]!.reference,
              },
            ],
          },
        ],
        metadata: { run: '7' },
        _links: {
          callback_url: platform.receiver.url,
          self: `${platform.simulator.url}${PATH}/${id}`,
        },
      },
    });
  });

  it.each([
    ['an unknown recipient', { destination_reference: 'none' }, 422],
    ['the recipient of another type', { destination_type: 'till' }, 422],
    ['tags of numbers', { tags: [1] }, 400],
    ['a missing description', { description: undefined }, 400],
  ])('is refused for %s', async (_, changes, status) => {
    expect((await pay(changes)).status).toBe(status);
    expect(platform.simulator.payouts()).toEqual([]);
  });

  it('cannot be read as one of send_money', async () => {
    const id = idOf(await pay());
    expect((await platform.client.get(`/api/v2/send_money/${id}`)).status).toBe(404);
  });
});
