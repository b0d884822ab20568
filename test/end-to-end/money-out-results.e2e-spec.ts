import { describe, expect, it } from '@jest/globals';
import {
  BarePaymentLinksService,
  PayService,
  ReversalsService,
  SendMoneyService,
  SettlementTransfersService,
  type PaymentsOptions,
} from '@tillkit/payments';
import type { CreatedResource } from '@tillkit/payments/types';
import { deliver, deliverSigned } from '../support/deliver.js';
import type { Merchant } from '../support/merchant.js';
import { scripted } from '../support/scripted.merchant.js';
import { created, json } from '../support/scripted.platform.js';

const AMOUNT = { currency: 'KES', value: '10' };

const batches = (...statuses: string[]): object => ({
  status: 'Processed',
  transfer_batches: statuses.map((status) => ({
    status,
    disbursements: [{ status, amount: '10.0' }],
  })),
});

const TWO_TILLS = {
  destinations: [
    { type: 'till', till_number: '1' },
    { type: 'till', till_number: '2' },
  ],
};

interface Case {
  event:
    | 'send-money.completed'
    | 'reversal.completed'
    | 'bare-payment-link.completed'
    | 'settlement-transfer.completed'
    | 'pay.completed';
  path: string;
  type: string;
  create: (merchant: Merchant) => Promise<CreatedResource>;
  /** The platform shows these fields before the result is final. */
  open: object[];
  final: object;
}

const CASES: Case[] = [
  {
    event: 'send-money.completed',
    path: '/api/v2/send_money',
    type: 'send_money',
    create: ({ app }) =>
      app.get(SendMoneyService).create({
        currency: 'KES',
        destinations: [
          { type: 'till', tillNumber: '1', amount: '10', description: 'Stock' },
          { type: 'till', tillNumber: '2', amount: '10', description: 'Stock' },
        ],
      }),
    open: [
      { ...TWO_TILLS, status: 'Processed', transfer_batches: null },
      { ...TWO_TILLS, status: 'Processed', transfer_batches: [] },
      { ...TWO_TILLS, ...batches('Transferred') },
      { ...TWO_TILLS, ...batches('Transferred', 'Underway') },
    ],
    final: { ...TWO_TILLS, ...batches('Cancelled', 'Transferred') },
  },
  {
    event: 'reversal.completed',
    path: '/api/v2/reversals',
    type: 'reversals',
    create: ({ app }) =>
      app.get(ReversalsService).create({ transactionReference: 'PAID1', reason: 'stock' }),
    open: [
      { status: 'Processed' },
      { status: 'Processed', reversal_bulk_payment: { status: 'Underway' } },
    ],
    final: { status: 'Processed', reversal_bulk_payment: { status: 'Cancelled' } },
  },
  {
    event: 'bare-payment-link.completed',
    path: '/api/v2/payment_links',
    type: 'payment_link',
    create: ({ app }) => app.get(BarePaymentLinksService).create({ amount: AMOUNT }),
    open: [
      { status: 'Processed', payment_link: null },
      { status: 'Processed', payment_link: { payment_link_status: 'active' } },
    ],
    final: { status: 'Processed', payment_link: { status: 'Paid', transaction_reference: 'T1' } },
  },
  {
    event: 'settlement-transfer.completed',
    path: '/api/v1/settlement_transfers',
    type: 'settlement_transfer',
    create: ({ app }) => app.get(SettlementTransfersService).create({ amount: AMOUNT }),
    open: [{ status: 'Processed' }, batches('Scheduled')],
    final: batches('Transferred'),
  },
  {
    event: 'pay.completed',
    path: '/api/v1/payments',
    type: 'payment',
    create: ({ app }) =>
      app.get(PayService).create({
        destinationType: 'till',
        destinationReference: 'recipient-1',
        amount: AMOUNT,
        description: 'Stock',
      }),
    open: [{ status: 'Processed' }, batches('Transferred', 'Scheduled')],
    final: batches('Cancelled'),
  },
];

describe('The result of bare money out', () => {
  const { platform, open } = scripted();

  /** Creates the resource; returns its callback URL as the platform got it, and the body of a callback. */
  const create = async ({ path, type, create: send }: Case, payments?: PaymentsOptions) => {
    const merchant = await open(payments);
    platform.on(`POST ${path}`, created('one', path));
    await send(merchant);
    const [sent] = platform.received(`POST ${path}`) as { _links: { callback_url: string } }[];
    const url = sent?._links.callback_url as string;
    const body = (attributes: object): object => ({
      data: { id: 'one', type, attributes: { ...attributes, _links: { callback_url: url } } },
    });
    return { merchant, url, body };
  };

  it.each(CASES)('is emitted once as $event, as soon as it is final', async (one) => {
    const { merchant, url, body } = await create(one);
    const { apiKey } = merchant.simulator;
    const post = async (text: string): Promise<void> => {
      expect(await deliverSigned(url, text, apiKey)).toMatchObject({ status: 200 });
    };
    for (const attributes of one.open) await post(JSON.stringify(body(attributes)));
    const final = JSON.stringify(body(one.final));
    await post(final);
    await post(`${final} `);
    const { via } = await merchant.received.next(one.event);
    expect(via).toBe('callback');
    await post('not JSON');
    await merchant.received.next('delivery.unrecognised');
    const events = merchant.received.named(one.event) as object[];
    expect(events).toHaveLength(1);
    expect(JSON.stringify(events)).toContain(JSON.stringify(one.final).slice(1, -1));
  });

  it.each(CASES)('is read from the platform before $event, without an API key', async (one) => {
    const urlSecrets = ['a-secret-of-more-than-32-characters-0001'];
    const { merchant, url, body } = await create(one, { apiKeys: [], urlSecrets });
    const read = `GET ${one.path}/one`;
    platform.on(read, json(200, body(one.final)));
    const forged = { ...one.open[0], metadata: { forged: '1' } };
    expect(await deliver(url, JSON.stringify(body(forged)))).toMatchObject({ status: 200 });
    const event = await merchant.received.next(one.event);
    expect(JSON.stringify(event)).not.toContain('forged');
    expect(platform.count(read)).toBe(1);
  });
});
