import { describe, expect, it } from '@jest/globals';
import { readEnvelope, type ResourceEnvelope } from '../wire-value.js';
import { readResource } from '../resource-table.js';
import { SEND_MONEY } from './send-money.service.js';

const sendMoney = (attributes: object): ResourceEnvelope =>
  readEnvelope({ data: { id: 'one', type: 'send_money', attributes } }) as ResourceEnvelope;

const DISBURSEMENT = {
  status: 'Transferred',
  amount: '1000.0',
  errors: null,
  destination_type: 'mobile_wallet',
  phone_number: '254700000001',
  nickname: 'n',
  favourite: true,
  origination_time: '2026-01-31T08:00:00+03:00',
  destination_reference: 'destination-1',
  transaction_reference: null,
};

const ABSENT = {
  network: null,
  accountNumber: null,
  accountName: null,
  bankBranchRef: null,
  tillNumber: null,
  paybillNumber: null,
  paybillAccountNumber: null,
};

describe('A request to send money that the platform shows', () => {
  it('has its destinations, batches and disbursements', () => {
    const destination = { type: 'till', till_number: '000124', amount: 10, description: 'pay' };
    const read = readResource(
      SEND_MONEY,
      sendMoney({
        status: 'Processed',
        created_at: '2026-01-31T08:00:00+03:00',
        source_identifier: '',
        currency: 'KES',
        destinations: [destination],
        transfer_batches: [
          { status: 'Transferred', amount: '1000.0', disbursements: [DISBURSEMENT] },
        ],
        errors: [],
        metadata: { order: '1' },
        _links: { callback_url: 'https://shop.test/callback', self: 'https://platform.test/one' },
      }),
    );
    expect(read).toEqual({
      id: 'one',
      status: 'Processed',
      createdAt: '2026-01-31T08:00:00+03:00',
      sourceIdentifier: '',
      currency: 'KES',
      destinations: [
        {
          ...ABSENT,
          type: 'till',
          tillNumber: '000124',
          amount: '10',
          description: 'pay',
          reference: null,
          phoneNumber: null,
          nickname: null,
          favourite: null,
          raw: destination,
        },
      ],
      transferBatches: [
        {
          status: 'Transferred',
          amount: '1000.0',
          errors: [],
          disbursements: [
            {
              ...ABSENT,
              status: 'Transferred',
              amount: '1000.0',
              errors: [],
              destinationType: 'mobile_wallet',
              destinationReference: 'destination-1',
              transactionReference: null,
              originationTime: '2026-01-31T08:00:00+03:00',
              phoneNumber: '254700000001',
              nickname: 'n',
              favourite: true,
              raw: DISBURSEMENT,
            },
          ],
        },
      ],
      errors: [],
      metadata: { order: '1' },
      links: { callbackUrl: 'https://shop.test/callback', self: 'https://platform.test/one' },
      raw: expect.objectContaining({ type: 'send_money' }),
    });
  });

  it('has no destinations and no batches when they are null', () => {
    const read = readResource(
      SEND_MONEY,
      sendMoney({ destinations: null, transfer_batches: null }),
    );
    expect(read).toMatchObject({ destinations: null, transferBatches: null, errors: [] });
  });

  it.each([
    ['a text', 'sent back', ['sent back']],
    ['a list', [null, '', 'sent back'], ['sent back']],
    ['a list without text', ['', null, []], []],
    ['an object', { code: 1 }, ['{"code":1}']],
  ])('keeps the errors of a disbursement that come as %s', (_, errors, texts) => {
    const disbursements = [{ ...DISBURSEMENT, errors }];
    const read = readResource(
      SEND_MONEY,
      sendMoney({ transfer_batches: [{ disbursements, errors }] }),
    );
    expect(read.transferBatches).toMatchObject([
      { errors: texts, disbursements: [{ errors: texts }] },
    ]);
  });

  it.each([
    [7],
    ['text'],
    [{}],
    [[null, 7, 'text', []]],
    [[{ disbursements: [null, 'text', {}] }]],
  ])('is read without an exception when each of its lists is %j', (list) => {
    const read = readResource(
      SEND_MONEY,
      sendMoney({ status: {}, destinations: list, transfer_batches: list, errors: 7 }),
    );
    expect(read).toMatchObject({ id: 'one', status: null, errors: ['7'] });
  });

  it('has null for an amount that is unreadable and for a favourite that is no boolean', () => {
    const destinations = [{ amount: '1e3', favourite: 'yes' }];
    expect(readResource(SEND_MONEY, sendMoney({ destinations })).destinations).toMatchObject([
      { amount: null, favourite: null, raw: destinations[0] },
    ]);
  });
});
