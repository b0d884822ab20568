import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  balanceOf,
  BANK_ACCOUNT,
  OTHER_TILL,
  PAYBILL,
  send,
  SEND_MONEY_PATH,
  sendMoney,
  wallet,
} from '../testing/money-out.fixture.js';
import { idOf } from '../testing/platform-client.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

interface WireSendMoney {
  status: string;
  transfer_batches:
    { status: string; disbursements: { status: string; destination_type: string }[] }[] | null;
}

describe('Send money at the simulator', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform({ openingBalances: { '514459': 1_000, '000123': 50 }, seed: 7 });
  });

  afterEach(() => platform.stop());

  const read = async (id: string): Promise<WireSendMoney> => {
    const { body } = await platform.client.get(`${SEND_MONEY_PATH}/${id}`);
    return body.data.attributes as WireSendMoney;
  };
  const create = async (body: unknown) => platform.client.post(SEND_MONEY_PATH, body);
  const own = async (path: string, fields: Record<string, string>) => {
    const created = await platform.client.post(`/api/v2/${path}`, fields);
    const { body } = await platform.client.get(`/api/v2/${path}/${idOf(created)}`);
    return String(body.data.attributes.account_reference);
  };

  it('pays all six types of destinations, and each account gets its amount', async () => {
    const walletReference = await own('merchant_wallets', {
      first_name: 'Ann',
      last_name: 'Wairimu',
      phone_number: '+254700000033',
      network: 'Safaricom',
    });
    const bankReference = await own('merchant_bank_accounts', {
      account_name: 'Duka',
      account_number: '0200000002',
      bank_branch_ref: BANK_ACCOUNT.bank_branch_ref,
      settlement_method: 'EFT',
    });
    await send(platform, [
      wallet(),
      BANK_ACCOUNT,
      OTHER_TILL,
      PAYBILL,
      { type: 'merchant_wallet', reference: walletReference, amount: 10 },
      { type: 'merchant_bank_account', reference: bankReference, amount: 100 },
    ]);
    expect(
      Object.fromEntries(
        platform.simulator.balances().map(({ account, balance }) => [account, balance]),
      ),
    ).toMatchObject({
      'till:514459': 53_950,
      'mobile_wallet:+254700000001': 10_000,
      [`bank_account:${BANK_ACCOUNT.bank_branch_ref}/0100000001`]: 20_000,
      'external_till:800100': 1_050,
      'paybill:888880/30001': 4_000,
      [`merchant_wallet:${walletReference}`]: 1_000,
      [`merchant_bank_account:${bankReference}`]: 10_000,
    });
    const [payout] = platform.simulator.payouts();
    expect(payout!.destinations.map(({ type, amount, paid }) => [type, amount, paid])).toEqual([
      ['mobile_wallet', 100, true],
      ['bank_account', 200, true],
      ['till', 10.5, true],
      ['paybill', 40, true],
      ['merchant_wallet', 10, true],
      ['merchant_bank_account', 100, true],
    ]);
  });

  it('reads as the platform publishes it, with one batch per destination in another order', async () => {
    const asked = [wallet({ nickname: 'Jane', favourite: true }), OTHER_TILL, BANK_ACCOUNT];
    const id = await send(platform, asked);
    const { body } = await platform.client.get(`${SEND_MONEY_PATH}/${id}`);
    const { transfer_batches: given, ...attributes } = body.data.attributes as WireSendMoney;
    const batches = given!;
    expect(body.data).toMatchObject({ id, type: 'send_money' });
    expect(attributes).toEqual({
      status: 'Processed',
      created_at: expect.stringMatching(/\+03:00$/),
      source_identifier: '514459',
      currency: 'KES',
      destinations: asked,
      errors: null,
      metadata: { run: '7' },
      _links: {
        callback_url: `${platform.receiver.url}/payouts`,
        self: `${platform.simulator.url}${SEND_MONEY_PATH}/${id}`,
      },
    });
    const types = batches.map(({ disbursements: [only] }) => only!.destination_type);
    expect(new Set(types)).toEqual(new Set(['bank_account', 'mobile_wallet', 'till']));
    expect(types).not.toEqual(['mobile_wallet', 'till', 'bank_account']);
    expect(batches[types.indexOf('mobile_wallet')]).toEqual({
      status: 'Transferred',
      amount: '100.0',
      disbursements: [
        {
          status: 'Transferred',
          amount: '100.0',
          errors: null,
          destination_type: 'mobile_wallet',
          phone_number: '254700000001',
          network: 'Safaricom',
          nickname: 'Jane',
          favourite: true,
          origination_time: expect.stringMatching(/\+03:00$/),
          destination_reference: expect.any(String),
          transaction_reference: platform.simulator.payouts()[0]!.destinations[0]!.reference,
        },
      ],
    });
  });

  it('goes from Received over Scheduled to Processed, and pays one disbursement after the other', async () => {
    await platform.stop();
    platform = await startPlatform({
      openingBalances: { '514459': 1_000 },
      timings: { payoutScheduling: 1_000, payoutProcessing: 1_000, disbursement: 1_000 },
    });
    const id = await send(platform, [wallet(), wallet({ phone_number: '254700000003' })]);
    const steps: unknown[] = [];
    for (let second = 0; second < 5; second++) {
      const { status, transfer_batches: batches } = await read(id);
      const words = batches?.map((batch) => batch.status) ?? null;
      steps.push([status, words, balanceOf(platform, 'till:514459')]);
      await platform.simulator.clock.advance(1_000);
    }
    expect(steps).toEqual([
      ['Received', null, 100_000],
      ['Scheduled', ['Pending', 'Pending'], 100_000],
      ['Processed', ['Processing', 'Processing'], 100_000],
      ['Processed', ['Transferred', 'Processing'], 90_000],
      ['Processed', ['Transferred', 'Transferred'], 80_000],
    ]);
    expect(platform.arrivals()).toEqual(['Processed', 'Processed', 'Processed']);
    const last = platform.receiver.received.at(-1)!;
    expect(last.body.data.attributes).toEqual(await read(id));
  });

  it('reserves the amounts before it pays, so that two requests cannot spend the same money', async () => {
    await platform.stop();
    platform = await startPlatform({
      openingBalances: { '514459': 150 },
      timings: { payoutScheduling: 0, payoutProcessing: 0, disbursement: 1_000 },
    });
    await send(platform, [wallet()]);
    await send(platform, [wallet({ phone_number: '254700000003' })]);
    expect(platform.simulator.balances()).toContainEqual({
      account: 'till:514459',
      currency: 'KES',
      balance: 15_000,
      reserved: 10_000,
    });
    await platform.simulator.clock.advance(5_000);
    expect(
      platform.simulator.payouts().map(({ destinations: [only] }) => [only!.paid, only!.errors]),
    ).toEqual([
      [true, null],
      [false, ['The balance is insufficient for the transaction']],
    ]);
    expect(balanceOf(platform, 'till:514459')).toBe(5_000);
  });

  it('cancels with the reason what the till has too little money for', async () => {
    const id = await send(platform, [wallet({ amount: 1_001 }), PAYBILL]);
    const { status, transfer_batches: batches } = await read(id);
    expect(status).toBe('Processed');
    const disbursements = batches!.map((batch) => batch.disbursements[0]);
    expect(disbursements).toContainEqual(
      expect.objectContaining({
        status: 'Cancelled',
        errors: ['The balance is insufficient for the transaction'],
        transaction_reference: null,
      }),
    );
    expect(balanceOf(platform, 'till:514459')).toBe(96_000);
  });

  it.each([
    ['absent', undefined],
    ['null', null],
    ['an empty list', []],
  ])(
    'sweeps all funds to the settlement account when destinations is %s',
    async (_, destinations) => {
      const id = await send(platform, destinations);
      const [settlement] = platform.simulator.merchantAccounts();
      expect(balanceOf(platform, 'till:514459')).toBe(0);
      expect(balanceOf(platform, `merchant_bank_account:${settlement!.reference}`)).toBe(100_000);
      expect(platform.simulator.payouts()).toMatchObject([
        { sweep: true, destinations: [{ amount: 1_000, paid: true }] },
      ]);
      expect(await read(id)).toMatchObject({
        destinations: null,
        transfer_batches: [{ status: 'Transferred', amount: '1000.0' }],
      });
    },
  );

  it('cancels a sweep of nothing', async () => {
    await send(platform, null);
    await send(platform, null);
    expect(platform.simulator.payouts()[1]).toMatchObject({
      destinations: [{ amount: 0, status: 'Cancelled', paid: false }],
    });
  });

  it.each([
    ['the first till when the source is absent', {}, 'till:514459'],
    ['the first till when the source is null', { source_identifier: null }, 'till:514459'],
    ['the first till when the source is empty', { source_identifier: '' }, 'till:514459'],
    ['the till that the source names', { source_identifier: '000123' }, 'till:000123'],
  ])('takes the money from %s', async (_, changes, account) => {
    const before = balanceOf(platform, account);
    const { source_identifier: _source, ...body } = sendMoney(platform, [wallet({ amount: 10 })]);
    await create({ ...body, ...changes });
    await platform.simulator.idle();
    expect(balanceOf(platform, account)).toBe(before - 1_000);
  });

  it('makes an unknown recipient known, and uses its reference again', async () => {
    await send(platform, [wallet({ nickname: 'Jane' })]);
    await send(platform, [wallet(), PAYBILL]);
    const recipients = platform.simulator.recipients();
    expect(recipients.map(({ type, fields }) => [type, fields])).toEqual([
      ['mobile_wallet', { phone_number: '+254700000001', network: 'Safaricom', nickname: 'Jane' }],
      ['paybill', { paybill_number: '888880', paybill_account_number: '30001' }],
    ]);
    const references = platform.simulator
      .payouts()
      .map(({ destinations }) => destinations[0]!.destinationReference);
    expect(references).toEqual([recipients[0]!.reference, recipients[0]!.reference]);
  });

  it('shows the received money on the handset', async () => {
    await send(platform, [wallet({ amount: 99.5 })]);
    expect(platform.simulator.handset('+254700000001').inbox()).toEqual([
      {
        at: expect.any(String),
        from: 'Mobile money',
        text: expect.stringMatching(
          /^\w{10} confirmed\. You have received KES 99\.50 from till 514459\.$/,
        ),
      },
    ]);
  });

  it('to an own till is a till-to-till transaction with its webhook', async () => {
    await platform.subscribe('b2b_transaction_received', { scope_reference: '000123' });
    await send(platform, [{ ...OTHER_TILL, till_number: '000123' }]);
    expect(platform.arrivals()).toContain('b2b_transaction_received');
    expect(platform.simulator.transactions()).toMatchObject([
      { tillNumber: '000123', amount: 10.5, sendingTill: '514459' },
    ]);
    expect(balanceOf(platform, 'till:000123')).toBe(6_050);
    expect(balanceOf(platform, 'till:514459')).toBe(98_950);
    await platform.simulator.reverse(platform.simulator.transactions()[0]!.reference);
    expect(balanceOf(platform, 'till:514459')).toBe(100_000);
  });

  it('to an own account sends the settlement webhook', async () => {
    await platform.subscribe('settlement_transfer_completed', {
      scope: 'company',
      scope_reference: '',
    });
    await send(platform, null);
    const webhook = platform.receiver.received.find(({ body }) => body.topic !== undefined);
    expect(webhook!.body.event.resource).toMatchObject({
      amount: '1000.0',
      status: 'Transferred',
      destination: {
        type: 'Bank Account',
        resource: {
          reference: platform.simulator.merchantAccounts()[0]!.reference,
          account_name: 'Settlement account',
          account_number: '0100000000',
          bank_branch_ref: expect.any(String),
          settlement_method: 'EFT',
        },
      },
      disbursements: [{ amount: '1000.0', status: 'Transferred', transaction_reference: null }],
    });
  });

  it.each([
    ['an unknown source', { source_identifier: '999' }, 'Source identifier is invalid'],
    ['another currency', { currency: 'UGX' }, 'currency must be KES'],
    ['a missing callback URL', { _links: {} }, '_links.callback_url is missing'],
    ['destinations that are no list', { destinations: {} }, 'destinations must be a list'],
    [
      'an unknown type',
      { destinations: [wallet({ type: 'purse' })] },
      'destinations[0].type must be mobile_wallet or bank_account or till or paybill or merchant_wallet or merchant_bank_account',
    ],
    [
      'a phone number with +',
      { destinations: [wallet({ phone_number: '+254700000001' })] },
      'destinations[0].phone_number has an invalid length or format: write it without +',
    ],
    [
      'an amount in a string',
      { destinations: [wallet({ amount: '100' })] },
      'destinations[0].amount must be a number',
    ],
    [
      'a part of a cent',
      { destinations: [wallet({ amount: 1.005 })] },
      'destinations[0].amount has more decimals than KES has',
    ],
    [
      'several mistakes',
      { destinations: [PAYBILL, wallet({ amount: 0, description: '', tip: 1 })] },
      [
        'destinations[1].amount must be greater than 0',
        'destinations[1].description must be a non-empty string',
        'destinations[1].tip is not a known field',
      ],
    ],
  ])('is refused with 400 for %s, and nothing is paid', async (_, changes, message) => {
    const answer = await create(sendMoney(platform, [wallet()], changes));
    expect(answer).toMatchObject({
      status: 400,
      body: { error_code: 400, error_message: message },
    });
    await platform.simulator.idle();
    expect(platform.simulator.payouts()).toEqual([]);
    expect(platform.simulator.recipients()).toEqual([]);
  });

  it('is refused with 400 by a platform without tills, and so is a settlement transfer', async () => {
    await platform.stop();
    platform = await startPlatform({ tillNumbers: [] });
    const links = { _links: { callback_url: platform.receiver.url } };
    const body = sendMoney(platform, [wallet()], { source_identifier: null });
    const statuses = [
      (await create(body)).status,
      (await platform.client.post('/api/v1/settlement_transfers', links)).status,
    ];
    expect(statuses).toEqual([400, 400]);
  });

  it('is refused with 422 for the reference of an unknown own account', async () => {
    const destination = { type: 'merchant_wallet', reference: 'none', amount: 1 };
    expect((await create(sendMoney(platform, [destination]))).status).toBe(422);
  });

  describe('in the scenario', () => {
    const outcome = () => {
      const { status, paid, errors } = platform.simulator.payouts()[0]!.destinations[0]!;
      return { status, paid, hasErrors: errors !== null };
    };
    const sent = (digits: string) =>
      send(platform, [wallet({ phone_number: `2547000000${digits}` })]);

    it.each([
      ['transferred pays', '61', { status: 'Transferred', paid: true, hasErrors: false }, 90_000],
      [
        'cancelled pays nothing, and says why',
        '62',
        { status: 'Cancelled', paid: false, hasErrors: true },
        100_000,
      ],
      [
        'transferred_with_errors pays, and has errors',
        '63',
        { status: 'Transferred', paid: true, hasErrors: true },
        90_000,
      ],
      [
        'open pays nothing, and stays open',
        '64',
        { status: 'Processing', paid: false, hasErrors: false },
        100_000,
      ],
      [
        'unknown_status pays with an unknown status',
        '67',
        { status: 'Settling', paid: true, hasErrors: false },
        90_000,
      ],
      [
        'insufficient_balance pays nothing, and says why',
        '68',
        { status: 'Cancelled', paid: false, hasErrors: true },
        100_000,
      ],
    ])('%s', async (_, digits, expected, balance) => {
      await sent(digits);
      await platform.simulator.clock.advance(86_400_000);
      expect(outcome()).toEqual(expected);
      expect(balanceOf(platform, 'till:514459')).toBe(balance);
    });

    it('transferred_after_cancelled first cancels, and pays later', async () => {
      await sent('65');
      expect(outcome()).toEqual({ status: 'Cancelled', paid: false, hasErrors: true });
      await platform.simulator.clock.advance(5_000);
      expect(outcome()).toEqual({ status: 'Transferred', paid: true, hasErrors: false });
      expect(balanceOf(platform, 'till:514459')).toBe(90_000);
      expect(platform.receiver.received).toHaveLength(3);
    });

    it('cancelled_after_transferred first pays, and gets the money back later', async () => {
      await sent('66');
      expect(balanceOf(platform, 'till:514459')).toBe(90_000);
      await platform.simulator.clock.advance(5_000);
      expect(outcome()).toEqual({ status: 'Cancelled', paid: false, hasErrors: true });
      expect(balanceOf(platform, 'till:514459')).toBe(100_000);
      expect(platform.receiver.received).toHaveLength(3);
    });

    it('slow pays after an hour', async () => {
      await sent('69');
      await platform.simulator.clock.advance(3_599_000);
      expect(outcome().paid).toBe(false);
      await platform.simulator.clock.advance(1_000);
      expect(outcome()).toEqual({ status: 'Transferred', paid: true, hasErrors: false });
    });

    it('silent pays and sends no callback', async () => {
      await sent('70');
      expect(outcome().paid).toBe(true);
      expect(platform.receiver.received).toEqual([]);
      expect(platform.simulator.deliveries.list({ state: 'lost' })).toHaveLength(2);
    });

    it('that a test has set follows it, until the test removes it', async () => {
      platform.simulator.payout('+254700000001', 'cancelled');
      platform.simulator.payout('0100000001', 'open');
      expect(platform.simulator.payoutScenarios()).toEqual({
        '254700000001': 'cancelled',
        '0100000001': 'open',
      });
      await send(platform, [wallet(), BANK_ACCOUNT]);
      platform.simulator.payout('254700000001', null);
      await send(platform, [wallet()]);
      expect(
        platform.simulator
          .payouts()
          .flatMap((payout) => payout.destinations.map((one) => one.status)),
      ).toEqual(['Cancelled', 'Processing', 'Transferred']);
    });

    it('that does not exist is refused', () => {
      expect(() => platform.simulator.payout('254700000001', 'none' as never)).toThrow(
        /no payout scenario "none"/,
      );
      expect(() => platform.simulator.payout('?', 'open')).toThrow(/not the number/);
    });
  });
});
