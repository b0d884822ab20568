import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  PayService,
  SettlementTransfersService,
  type CreatePayDto,
  type CreateSettlementTransferDto,
} from '@tillkit/payments';
import type { Merchant } from '../../support/merchant.js';
import { scripted } from '../../support/scripted.merchant.js';
import { created, json } from '../../support/scripted.platform.js';

const AMOUNT = { currency: 'KES', value: '1000.00' };

/** The platform shows these fields of both resources. */
const SHOWN = {
  status: 'Processed',
  created_at: '2026-01-31T08:00:00+03:00',
  amount: { currency: 'KES', value: '1000.0' },
  transfer_batches: [
    {
      status: 'Transferred',
      disbursements: [
        { amount: '600.0', status: 'Transferred', destination_type: 'Bank Account' },
        { amount: '400.0', status: 'Transferred', destination_type: 'Mobile Wallet' },
      ],
    },
  ],
};
const READ = {
  id: 'one',
  status: 'Processed',
  createdAt: '2026-01-31T08:00:00+03:00',
  amount: { currency: 'KES', value: '1000.0' },
  errors: [],
  transferBatches: [
    {
      status: 'Transferred',
      amount: null,
      errors: [],
      disbursements: [
        { amount: '600.0', destinationType: 'Bank Account', transactionReference: null },
        { amount: '400.0', destinationType: 'Mobile Wallet', transactionReference: null },
      ],
    },
  ],
};

describe('The older interface of money out', () => {
  const { platform, open } = scripted();
  let merchant: Merchant;

  beforeEach(async () => {
    merchant = await open();
  });

  describe('transfers', () => {
    const PATH = '/api/v1/settlement_transfers';
    const CREATE = `POST ${PATH}`;
    let service: SettlementTransfersService;

    beforeEach(() => {
      platform.on(CREATE, created('one', PATH));
      service = merchant.app.get(SettlementTransfersService);
    });

    it('an amount to an account of the merchant in the format of the platform', async () => {
      await service.create({
        amount: AMOUNT,
        destinationReference: 'wallet-1',
        destinationType: 'merchant_wallet',
      });
      expect(platform.received(CREATE)).toEqual([
        {
          amount: { currency: 'KES', value: 1000 },
          destination_reference: 'wallet-1',
          destination_type: 'merchant_wallet',
          _links: {
            callback_url: expect.stringMatching(/\/callbacks\/settlement-transfers\/bare-[\w-]+$/),
          },
        },
      ]);
    });

    it('all funds to an account of the merchant when the host says so', async () => {
      await service.create({ sweepAllFunds: true, callbackUrl: 'https://shop.example/callback' });
      expect(platform.received(CREATE)).toEqual([
        { _links: { callback_url: 'https://shop.example/callback' } },
      ]);
    });

    it.each([
      ['no amount', {}, 'amount is missing: without amount the platform would transfer ALL funds'],
      ['null as amount', { amount: null }, 'would transfer ALL funds'],
      ['an amount of 0', { amount: { currency: 'KES', value: '0' } }, 'amount.value must be more'],
      ['an amount that is a text', { amount: '1' }, 'amount must be an object'],
      ['an amount that is a list', { amount: [] }, 'amount must be an object'],
      ['sweepAllFunds: false', { sweepAllFunds: false }, 'sweepAllFunds must be left out, or true'],
      ['an amount and sweepAllFunds', { amount: AMOUNT, sweepAllFunds: true }, 'must be left out'],
      ['null and sweepAllFunds', { amount: null, sweepAllFunds: true }, 'must be left out'],
      ['an unknown type', { amount: AMOUNT, destinationType: 'till' }, 'destinationType must be'],
    ])('nothing to an account of the merchant with %s', async (_, input, problem) => {
      const refused = service.create(input as unknown as CreateSettlementTransferDto);
      await expect(refused).rejects.toThrow(problem);
      expect(platform.count(CREATE)).toBe(0);
    });

    it('money to an account of the merchant, and shows each disbursement of a batch', async () => {
      const body = { data: { id: 'one', type: 'settlement_transfer', attributes: SHOWN } };
      platform.on(`GET ${PATH}/one`, json(200, body));
      expect(await service.get('one')).toMatchObject(READ);
    });

    it('all funds, and shows no amount of such a transfer', async () => {
      const attributes = { ...SHOWN, amount: { currency: 'KES', value: null } };
      const body = { data: { id: 'one', type: 'settlement_transfer', attributes } };
      platform.on(`GET ${PATH}/one`, json(200, body));
      expect(await service.get('one')).toMatchObject({ ...READ, amount: null });
    });
  });

  describe('pays recipients', () => {
    const PATH = '/api/v1/payments';
    const CREATE = `POST ${PATH}`;
    const PAY: CreatePayDto = {
      destinationType: 'mobile_wallet',
      destinationReference: 'recipient-1',
      amount: AMOUNT,
      description: 'Wages',
    };
    let service: PayService;

    beforeEach(() => {
      platform.on(CREATE, created('one', PATH));
      service = merchant.app.get(PayService);
    });

    it('in the format of the platform', async () => {
      await service.create({
        ...PAY,
        category: 'salaries',
        tags: ['May', 'June'],
        metadata: { order: '1' },
      });
      expect(platform.received(CREATE)).toEqual([
        {
          destination_type: 'mobile_wallet',
          destination_reference: 'recipient-1',
          amount: { currency: 'KES', value: 1000 },
          description: 'Wages',
          category: 'salaries',
          tags: ['May', 'June'],
          metadata: { order: '1' },
          _links: { callback_url: expect.stringMatching(/\/callbacks\/pay\/bare-[\w-]+$/) },
        },
      ]);
    });

    it.each([
      ['no amount', 'amount', { amount: undefined }],
      ['an unknown type', 'destinationType', { destinationType: 'merchant_wallet' }],
      ['the word Unavailable', 'destinationReference', { destinationReference: 'Unavailable' }],
      ['an empty list of tags', 'tags', { tags: [] }],
      ['a tag that is no text', 'tags', { tags: [1] }],
    ])('but not with %s', async (_, field, changes) => {
      await expect(service.create({ ...PAY, ...changes } as never)).rejects.toMatchObject({
        problems: [expect.objectContaining({ field })],
      });
      expect(platform.count(CREATE)).toBe(0);
    });

    it('and shows each disbursement of a batch', async () => {
      const attributes = { ...SHOWN, metadata: { order: '1' } };
      const body = { data: { id: 'one', type: 'payment', attributes } };
      platform.on(`GET ${PATH}/one`, json(200, body));
      expect(await service.get('one')).toMatchObject({ ...READ, metadata: { order: '1' } });
    });
  });
});
