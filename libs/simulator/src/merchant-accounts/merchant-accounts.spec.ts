import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { idOf } from '../testing/platform-client.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

const FIELDS = {
  merchant_wallet: {
    first_name: 'Ann',
    last_name: 'Wairimu',
    phone_number: '+254700000033',
    network: 'Safaricom',
    nickname: 'Ann',
  },
  merchant_bank_account: {
    account_name: 'Duka',
    account_number: '0200000002',
    bank_branch_ref: '633aa26c-7b7c-4091-ae28-96c0687cf886',
    settlement_method: 'EFT',
  },
};

describe('The simulator', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform();
  });

  afterEach(() => platform.stop());

  describe.each(Object.entries(FIELDS))('with an own account of the type %s', (type, fields) => {
    it.each(['v1', 'v2'])('creates it in %s and reads it', async (version) => {
      const path = `/api/${version}/${type}s`;
      const created = await platform.client.post(path, fields);
      expect(created.headers.get('location')).toContain(`${path}/`);
      const { body } = await platform.client.get(`${path}/${idOf(created)}`);
      expect(body).toEqual({
        data: {
          id: idOf(created),
          type,
          attributes: {
            status: 'Approved',
            account_reference: platform.simulator.merchantAccounts().at(-1)!.reference,
            ...fields,
          },
        },
      });
    });

    it('refuses it without a required field', async () => {
      const [missing] = Object.keys(fields);
      const answer = await platform.client.post(`/api/v2/${type}s`, {
        ...fields,
        [missing!]: undefined,
      });
      expect(answer.body).toEqual({ error_code: 400, error_message: `${missing} is missing` });
    });

    it('hides its reference as Unavailable by a fault', async () => {
      const created = await platform.client.post(`/api/v2/${type}s`, fields);
      platform.simulator.faults.once('unavailable-reference', { resource: `${type}s` });
      const { body } = await platform.client.get(`/api/v2/${type}s/${idOf(created)}`);
      expect(body.data.attributes.account_reference).toBe('Unavailable');
    });
  });

  it('answers 404 for an own account of the other type', async () => {
    const created = await platform.client.post('/api/v2/merchant_wallets', FIELDS.merchant_wallet);
    const path = `/api/v2/merchant_bank_accounts/${idOf(created)}`;
    expect((await platform.client.get(path)).status).toBe(404);
  });
});
