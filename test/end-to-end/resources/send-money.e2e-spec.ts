import { beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import {
  PayService,
  SendMoneyService,
  SettlementTransfersService,
  UnknownOutcomeError,
  type CreateSendMoneyDto,
} from '@tillkit/payments';
import { scripted } from '../../support/scripted.merchant.js';
import { created, json } from '../../support/scripted.platform.js';

const PATH = '/api/v2/send_money';
const CREATE = `POST ${PATH}`;

describe('Money that is sent', () => {
  const { platform, open } = scripted();
  let service: SendMoneyService;

  beforeEach(async () => {
    platform.on(CREATE, created('one', PATH));
    service = (await open()).app.get(SendMoneyService);
  });

  it('goes to every type of destination in the format of the platform', async () => {
    const created = await service.create({
      currency: 'KES',
      sourceIdentifier: '000123',
      metadata: { order: '1' },
      destinations: [
        {
          type: 'mobile_wallet',
          phoneNumber: '0700 000 001',
          network: 'Safaricom',
          amount: '1000.50',
          description: 'pay',
          nickname: 'n',
          favourite: true,
        },
        {
          type: 'bank_account',
          bankBranchRef: 'branch-1',
          accountName: 'A',
          accountNumber: '01',
          amount: '1000',
          description: 'pay',
        },
        { type: 'till', tillNumber: '000124', amount: '10', description: 'pay' },
        {
          type: 'paybill',
          paybillNumber: '1',
          paybillAccountNumber: '2',
          amount: '10',
          description: 'pay',
        },
        { type: 'merchant_wallet', reference: 'wallet-1', amount: '10' },
        { type: 'merchant_bank_account', reference: 'bank-1', amount: '100.00' },
      ],
    });
    expect(created).toEqual({ id: 'one', location: `${platform.url}${PATH}/one` });
    expect(platform.received(CREATE)).toEqual([
      {
        source_identifier: '000123',
        currency: 'KES',
        metadata: { order: '1' },
        _links: {
          callback_url: expect.stringMatching(/\/callbacks\/send-money\/bare-[\w-]+$/),
        },
        destinations: [
          {
            type: 'mobile_wallet',
            phone_number: '254700000001',
            network: 'Safaricom',
            amount: 1000.5,
            description: 'pay',
            nickname: 'n',
            favourite: true,
          },
          {
            type: 'bank_account',
            bank_branch_ref: 'branch-1',
            account_name: 'A',
            account_number: '01',
            amount: 1000,
            description: 'pay',
          },
          { type: 'till', till_number: '000124', amount: 10, description: 'pay' },
          {
            type: 'paybill',
            paybill_number: '1',
            paybill_account_number: '2',
            amount: 10,
            description: 'pay',
          },
          { type: 'merchant_wallet', reference: 'wallet-1', amount: 10 },
          { type: 'merchant_bank_account', reference: 'bank-1', amount: 100 },
        ],
      },
    ]);
  });

  it('is ALL funds only when the host says so', async () => {
    const callbackUrl = 'https://shop.example/callback';
    for (const destinations of [undefined, null, []])
      await expect(
        service.create({ currency: 'KES', destinations } as unknown as CreateSendMoneyDto),
      ).rejects.toThrow(/destinations must be a list .* would send ALL funds/);
    expect(platform.count(CREATE)).toBe(0);
    await service.create({ currency: 'KES', sweepAllFunds: true, callbackUrl });
    expect(platform.received(CREATE)).toEqual([
      { currency: 'KES', _links: { callback_url: callbackUrl } },
    ]);
  });

  it('passes no limits of payouts, unless the host says that these calls may', async () => {
    const limits = { KES: { approveFrom: '2000' } };
    const creates = (app: INestApplication): (() => Promise<unknown>)[] => [
      () => app.get(SendMoneyService).create({ currency: 'KES', sweepAllFunds: true }),
      () =>
        app.get(SettlementTransfersService).create({
          sweepAllFunds: true,
          destinationType: 'merchant_wallet',
          destinationReference: 'one',
        }),
      () =>
        app.get(PayService).create({
          destinationType: 'mobile_wallet',
          destinationReference: 'one',
          amount: { currency: 'KES', value: '1900' },
          description: 'pay',
        }),
    ];
    for (const create of creates((await open({ payouts: { limits } })).app))
      await expect(create()).rejects.toMatchObject({
        code: 'PAYMENTS_LIMIT_EXCEEDED',
        setting: 'payouts.limits',
        message: expect.stringContaining('PayoutsService'),
      });
    for (const path of [PATH, '/api/v2/settlement_transfers', '/api/v2/pay'])
      expect(platform.count(`POST ${path}`)).toBe(0);
    const { app } = await open({ payouts: { limits, bareCreates: true } });
    expect(await creates(app)[0]!()).toMatchObject({ id: 'one' });
  });

  it('is never sent again when the outcome of the create is unknown', async () => {
    platform.on(CREATE, json(500, {}));
    const all = service.create({ currency: 'KES', sweepAllFunds: true });
    await expect(all).rejects.toThrow(UnknownOutcomeError);
    expect(platform.count(CREATE)).toBe(1);
  });

  it('is read with its batches', async () => {
    platform.on(
      `GET ${PATH}/one`,
      json(200, {
        data: {
          id: 'one',
          type: 'send_money',
          attributes: { status: 'Scheduled', destinations: null, transfer_batches: null },
        },
      }),
    );
    expect(await service.get('one')).toMatchObject({
      id: 'one',
      status: 'Scheduled',
      destinations: null,
      transferBatches: null,
    });
  });
});
