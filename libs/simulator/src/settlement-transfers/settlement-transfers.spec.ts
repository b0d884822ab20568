import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { balanceOf } from '../testing/money-out.fixture.js';
import { idOf } from '../testing/platform-client.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

const PATH = '/api/v1/settlement_transfers';

describe('A settlement transfer of version 1 at the simulator', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform({ openingBalances: { '514459': 1_000 } });
  });

  afterEach(() => platform.stop());

  const transfer = async (changes: Record<string, unknown>) => {
    const answer = await platform.client.post(PATH, {
      _links: { callback_url: platform.receiver.url },
      ...changes,
    });
    await platform.simulator.idle();
    return answer;
  };
  const settlement = () => platform.simulator.merchantAccounts()[0]!;

  it('without an amount moves everything to the settlement account', async () => {
    const id = idOf(await transfer({}));
    const account = `merchant_bank_account:${settlement().reference}`;
    expect(balanceOf(platform, account)).toBe(100_000);
    expect(platform.simulator.payouts()).toMatchObject([
      { resource: 'settlement_transfers', sweep: true },
    ]);
    const { body } = await platform.client.get(`${PATH}/${id}`);
    expect(body.data).toEqual({
      id,
      type: 'settlement_transfer',
      attributes: {
        status: 'Processed',
        created_at: expect.any(String),
        amount: { currency: 'KES', value: null },
        transfer_batches: [
          {
            status: 'Transferred',
            disbursements: [
              {
                amount: '1000.0',
                status: 'Transferred',
                destination_type: 'Bank Account',
                origination_time: expect.any(String),
                destination_reference: settlement().reference,
                transaction_reference: null,
              },
            ],
          },
        ],
        _links: {
          callback_url: platform.receiver.url,
          self: `${platform.simulator.url}${PATH}/${id}`,
        },
      },
    });
    expect(platform.receiver.received.at(-1)!.body).toEqual(body);
  });

  it('with an amount moves that amount to the account that it names', async () => {
    const created = await platform.client.post('/api/v1/merchant_wallets', {
      first_name: 'Ann',
      last_name: 'Wairimu',
      phone_number: '+254700000033',
      network: 'Safaricom',
    });
    const { body } = await platform.client.get(`/api/v1/merchant_wallets/${idOf(created)}`);
    const reference = String(body.data.attributes.account_reference);
    await transfer({
      amount: { currency: 'KES', value: 300 },
      destination_type: 'merchant_wallet',
      destination_reference: reference,
    });
    expect(balanceOf(platform, `merchant_wallet:${reference}`)).toBe(30_000);
    expect(platform.simulator.handset('+254700000033').inbox()).toHaveLength(1);
  });

  it('to an unknown account, or to one of another type, is refused with 422', async () => {
    const unknown = { destination_type: 'merchant_wallet', destination_reference: 'none' };
    expect((await transfer(unknown)).status).toBe(422);
    const reference = settlement().reference;
    expect((await transfer({ ...unknown, destination_reference: reference })).status).toBe(422);
    expect(platform.simulator.payouts()).toEqual([]);
  });
});
