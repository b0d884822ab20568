import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { idOf } from '../testing/platform-client.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

const RECIPIENTS: readonly [string, string, Record<string, string>][] = [
  [
    'mobile_wallet',
    'Mobile Wallet',
    {
      first_name: 'Jane',
      last_name: 'Doe',
      phone_number: '+254700000001',
      network: 'Safaricom',
      email: 'jane@shop.example',
    },
  ],
  [
    'bank_account',
    'Bank Account',
    {
      account_name: 'Jane Doe',
      account_number: '0100000001',
      bank_branch_ref: '633aa26c-7b7c-4091-ae28-96c0687cf886',
      settlement_method: 'RTS',
    },
  ],
  ['till', 'Till', { till_name: 'Corner Shop', till_number: '000124' }],
  [
    'paybill',
    'Paybill',
    { paybill_name: 'Power', paybill_number: '888880', paybill_account_number: '30001' },
  ],
];

describe('The simulator', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform();
  });

  afterEach(() => platform.stop());

  describe.each(RECIPIENTS)('with a recipient of the type %s', (type, title, fields) => {
    it.each([
      ['/api/v2/external_recipients', 'external_recipient', { nickname: 'J' }],
      ['/api/v1/pay_recipients', 'pay_recipient', {}],
    ])('creates it at %s and reads it', async (path, key, extra) => {
      const created = await platform.client.post(path, { type, [key]: { ...fields, ...extra } });
      expect(created.status).toBe(201);
      const { body } = await platform.client.get(`${path}/${idOf(created)}`);
      expect(body).toEqual({
        data: {
          id: idOf(created),
          type: key,
          attributes: {
            recipient_type: title,
            account_alias: null,
            status: 'Approved',
            recipient_reference: platform.simulator.recipients()[0]!.reference,
            ...fields,
            ...extra,
          },
        },
      });
    });

    it('refuses it without a required field, and names every missing one', async () => {
      const path = '/api/v2/external_recipients';
      const answer = await platform.client.post(path, { type, external_recipient: {} });
      const optional = ['email', 'settlement_method'];
      const missing = Object.keys(fields).filter((name) => !optional.includes(name));
      expect(answer.status).toBe(400);
      expect(answer.body.error_message).toEqual(
        missing.map((name) => `external_recipient.${name} is missing`),
      );
    });
  });

  it('refuses a recipient of an unknown type, and a nickname in version 1', async () => {
    const { client } = platform;
    const unknown = await client.post('/api/v2/external_recipients', {
      type: 'purse',
      external_recipient: {},
    });
    expect(unknown.body.error_message).toBe(
      'type must be mobile_wallet or bank_account or till or paybill',
    );
    const named = await client.post('/api/v1/pay_recipients', {
      type: 'till',
      pay_recipient: { till_name: 'A', till_number: '1', nickname: 'B' },
    });
    expect(named.body.error_message).toBe('pay_recipient.nickname is not a known field');
    expect(platform.simulator.recipients()).toEqual([]);
  });

  it('answers 404 for an unknown recipient', async () => {
    const answer = await platform.client.get('/api/v2/external_recipients/none');
    expect(answer.status).toBe(404);
  });

  it('hides a reference as Unavailable by a fault', async () => {
    const created = await platform.client.post('/api/v2/external_recipients', {
      type: 'till',
      external_recipient: { till_name: 'A', till_number: '1' },
    });
    platform.simulator.faults.once('unavailable-reference', { resource: 'external_recipients' });
    const read = async () => {
      const answer = await platform.client.get(`/api/v2/external_recipients/${idOf(created)}`);
      return String(answer.body.data.attributes.recipient_reference);
    };
    expect(await read()).toBe('Unavailable');
    expect(await read()).toBe(platform.simulator.recipients()[0]!.reference);
  });
});
