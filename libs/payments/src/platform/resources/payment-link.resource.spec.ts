import { describe, expect, it } from '@jest/globals';
import { readEnvelope, type ResourceEnvelope } from '../wire-value.js';
import { readResource } from '../resource-table.js';
import { isOver, PAYMENT_LINK } from './bare-payment-links.service.js';

const link = (attributes: object): ResourceEnvelope =>
  readEnvelope({ data: { id: 'one', type: 'payment_link', attributes } }) as ResourceEnvelope;

const SHOWN = {
  status: 'Processed',
  created_at: '2026-01-31T08:00:00+03:00',
  till_name: 'Shop',
  till_number: '000123',
  currency: 'KES',
  amount: 100,
  payment_reference: 'order-1',
  note: '',
  errors: null,
  metadata: null,
};

describe('A payment link that the platform shows', () => {
  it.each(['Active', 'active'])('is open with the status %s', (payment_link_status) => {
    const read = readResource(
      PAYMENT_LINK,
      link({
        ...SHOWN,
        payment_link: {
          payment_link_status,
          expires_at: '2026-02-07T08:00:00+03:00',
          initiator_name: 'Jane',
          link: '/links/1',
        },
      }),
    );
    expect(read).toEqual({
      id: 'one',
      status: 'Processed',
      createdAt: '2026-01-31T08:00:00+03:00',
      tillName: 'Shop',
      tillNumber: '000123',
      amount: { currency: 'KES', value: '100' },
      paymentReference: 'order-1',
      note: '',
      link: {
        status: payment_link_status,
        expiresAt: '2026-02-07T08:00:00+03:00',
        url: '/links/1',
        transactionReference: null,
        senderPhoneNumber: null,
        originationTime: null,
        initiatorName: 'Jane',
      },
      errors: [],
      metadata: null,
      links: { callbackUrl: null, self: null },
      raw: expect.objectContaining({ type: 'payment_link' }),
    });
  });

  it('is paid, with its transaction and payer', () => {
    const read = readResource(
      PAYMENT_LINK,
      link({
        ...SHOWN,
        payment_link: {
          status: 'Paid',
          expires_at: '2026-02-07T08:00:00+03:00',
          link: 'https://platform.test/links/1',
          transaction_reference: 'PAID1',
          sender_phone_number: '+254700000001',
          origination_time: '2026-01-31T09:00:00+03:00',
        },
      }),
    );
    expect(read.link).toEqual({
      status: 'Paid',
      expiresAt: '2026-02-07T08:00:00+03:00',
      url: 'https://platform.test/links/1',
      transactionReference: 'PAID1',
      senderPhoneNumber: '+254700000001',
      originationTime: '2026-01-31T09:00:00+03:00',
      initiatorName: null,
    });
  });

  it.each([[undefined], [null], ['text'], [[]]])(
    'has no link yet when it is %j',
    (payment_link) => {
      expect(readResource(PAYMENT_LINK, link({ ...SHOWN, payment_link })).link).toBeNull();
    },
  );

  it('has no payer when the platform shows a hash instead of a phone number', () => {
    const payment_link = { status: 'Paid', sender_phone_number: 'a'.repeat(64) };
    expect(readResource(PAYMENT_LINK, link({ ...SHOWN, payment_link })).link).toMatchObject({
      status: 'Paid',
      senderPhoneNumber: null,
    });
  });

  it.each([
    ['an amount that is a text', { amount: '100.50' }, { currency: 'KES', value: '100.50' }],
    ['an amount that is unreadable', { amount: 'free' }, null],
    ['no currency', { currency: null }, null],
  ])('is read with %s', (_, changes, amount) => {
    expect(readResource(PAYMENT_LINK, link({ ...SHOWN, ...changes })).amount).toEqual(amount);
  });
});

describe('A payment link', () => {
  it.each([
    ['Paid', 'over', true],
    ['paid ', 'over', true],
    ['Cancelled', 'over', true],
    ['EXPIRED', 'over', true],
    ['Active', 'open', false],
    ['something new', 'open', false],
    [null, 'open', false],
  ])('with the status %j counts as %s', (status, _, over) => {
    expect(isOver(readResource(PAYMENT_LINK, link({ ...SHOWN, payment_link: { status } })))).toBe(
      over,
    );
  });

  it('of which the platform shows no details is not over', () => {
    expect(isOver(readResource(PAYMENT_LINK, link({ ...SHOWN, payment_link: null })))).toBe(false);
  });
});
