import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  ExternalRecipientsService,
  MerchantBankAccountsService,
  MerchantWalletsService,
  type CreateExternalRecipientDto,
} from '@tillkit/payments';
import type { Merchant } from '../../support/merchant.js';
import { scripted } from '../../support/scripted.merchant.js';
import { created, json } from '../../support/scripted.platform.js';

const PERSON = {
  firstName: 'Jane',
  lastName: 'Doe',
  phoneNumber: '0700000001',
  network: 'Safaricom',
};
const WIRE_PERSON = {
  first_name: 'Jane',
  last_name: 'Doe',
  phone_number: '+254700000001',
  network: 'Safaricom',
};
const BANK = { accountName: 'Shop', accountNumber: '01', bankBranchRef: 'branch-1' };
const WIRE_BANK = { account_name: 'Shop', account_number: '01', bank_branch_ref: 'branch-1' };

describe('Accounts that receive money', () => {
  const { platform, open } = scripted();
  let merchant: Merchant;

  beforeEach(async () => {
    merchant = await open();
  });

  const show = (path: string, type: string, attributes: object): void =>
    platform.on(`GET ${path}/one`, json(200, { data: { id: 'one', type, attributes } }));

  describe('and belong to others', () => {
    const PATH = '/api/v2/external_recipients';
    const CREATE = `POST ${PATH}`;
    let service: ExternalRecipientsService;

    beforeEach(() => {
      platform.on(CREATE, created('one', PATH));
      service = merchant.app.get(ExternalRecipientsService);
    });

    it.each<[string, CreateExternalRecipientDto, object]>([
      [
        'a mobile wallet',
        { type: 'mobile_wallet', ...PERSON, email: 'jane@shop.example', nickname: 'J' },
        { ...WIRE_PERSON, email: 'jane@shop.example', nickname: 'J' },
      ],
      [
        'a bank account',
        { type: 'bank_account', ...BANK, settlementMethod: 'EFT' },
        { ...WIRE_BANK, settlement_method: 'EFT' },
      ],
      [
        'a till',
        { type: 'till', tillName: 'Shop', tillNumber: '000124' },
        { till_name: 'Shop', till_number: '000124' },
      ],
      [
        'a paybill',
        { type: 'paybill', paybillName: 'Power', paybillNumber: '1', paybillAccountNumber: '2' },
        { paybill_name: 'Power', paybill_number: '1', paybill_account_number: '2' },
      ],
    ])('are created in the format of the platform for %s', async (_, recipient, wire) => {
      expect(await service.create(recipient)).toMatchObject({ id: 'one' });
      expect(platform.received(CREATE)).toEqual([
        { type: recipient.type, external_recipient: wire },
      ]);
    });

    it.each([
      ['an unknown type', 'type', { type: 'crypto' }],
      ['a field of another type', 'phoneNumber', { type: 'till', tillName: 'S', tillNumber: '1' }],
      ['a landline', 'phoneNumber', { type: 'mobile_wallet', ...PERSON }],
    ])('are refused with %s', async (_, field, input) => {
      const refused = service.create({ ...input, phoneNumber: '0202222222' } as never);
      await expect(refused).rejects.toMatchObject({
        problems: [expect.objectContaining({ field })],
      });
      expect(platform.count(CREATE)).toBe(0);
    });

    it.each(['external_recipient', 'pay_recipient'])(
      'are read when the platform names them %s',
      async (type) => {
        show(PATH, type, {
          recipient_type: 'Mobile Wallet',
          status: 'Approved',
          recipient_reference: 'Unavailable',
          account_alias: null,
          ...WIRE_PERSON,
        });
        expect(await service.get('one')).toMatchObject({
          ...PERSON,
          id: 'one',
          phoneNumber: '+254700000001',
          recipientType: 'Mobile Wallet',
          status: 'Approved',
          recipientReference: 'Unavailable',
          accountAlias: null,
          tillNumber: null,
        });
      },
    );
  });

  it('can be a bank account of the merchant', async () => {
    const path = '/api/v2/merchant_bank_accounts';
    platform.on(`POST ${path}`, created('one', path));
    const service = merchant.app.get(MerchantBankAccountsService);
    await service.create({ ...BANK, settlementMethod: 'RTS', nickname: 'Savings' });
    const wire = { ...WIRE_BANK, settlement_method: 'RTS', nickname: 'Savings' };
    expect(platform.received(`POST ${path}`)).toEqual([wire]);
    show(path, 'merchant_bank_account', { ...wire, status: 'Approved', account_reference: 'a-1' });
    expect(await service.get('one')).toEqual({
      id: 'one',
      ...BANK,
      settlementMethod: 'RTS',
      nickname: 'Savings',
      status: 'Approved',
      accountReference: 'a-1',
      raw: expect.anything(),
    });
    await expect(service.create({ ...BANK } as never)).rejects.toMatchObject({
      problems: [expect.objectContaining({ field: 'settlementMethod' })],
    });
  });

  it('can be a mobile money account of the merchant', async () => {
    const path = '/api/v2/merchant_wallets';
    platform.on(`POST ${path}`, created('one', path));
    const service = merchant.app.get(MerchantWalletsService);
    await service.create(PERSON);
    expect(platform.received(`POST ${path}`)).toEqual([WIRE_PERSON]);
    show(path, 'merchant_wallet', { ...WIRE_PERSON, account_reference: 'Unavailable' });
    expect(await service.get('one')).toEqual({
      id: 'one',
      ...PERSON,
      phoneNumber: '+254700000001',
      nickname: null,
      status: null,
      accountReference: 'Unavailable',
      raw: expect.anything(),
    });
    const landline = service.create({ ...PERSON, phoneNumber: '0202222222' });
    await expect(landline).rejects.toMatchObject({
      problems: [expect.objectContaining({ field: 'phoneNumber' })],
    });
  });
});
