import { describe, expect, it } from '@jest/globals';
import { readEnvelope, type ResourceEnvelope } from '../wire-value.js';
import { readResource } from '../resource-table.js';
import { REVERSAL } from './reversals.service.js';

const reversal = (attributes: object): ResourceEnvelope =>
  readEnvelope({ data: { id: 'one', type: 'reversal', attributes } }) as ResourceEnvelope;

const BULK_PAYMENT = {
  amount: '100.0',
  status: 'Transferred',
  origination_time: '2026-01-31T08:00:00+03:00',
  transaction_reference: 'OWN1',
};

describe('A reversal that the platform shows', () => {
  it('has the payment that sends the money back, with its own reference', () => {
    const read = readResource(
      REVERSAL,
      reversal({
        status: 'Processed',
        created_at: '2026-01-31T08:00:00+03:00',
        transaction_reference: 'PAID1',
        reason: 'out of stock',
        reversal_bulk_payment: BULK_PAYMENT,
        errors: null,
        metadata: { order: '1' },
        _links: { callback_url: 'https://shop.test/callback', self: null },
      }),
    );
    expect(read).toEqual({
      id: 'one',
      status: 'Processed',
      createdAt: '2026-01-31T08:00:00+03:00',
      transactionReference: 'PAID1',
      reason: 'out of stock',
      reversalBulkPayment: {
        amount: '100.0',
        status: 'Transferred',
        originationTime: '2026-01-31T08:00:00+03:00',
        transactionReference: 'OWN1',
        raw: BULK_PAYMENT,
      },
      errors: [],
      metadata: { order: '1' },
      links: { callbackUrl: 'https://shop.test/callback', self: null },
      raw: expect.objectContaining({ type: 'reversal' }),
    });
  });

  it.each([[undefined], [null], ['text'], [[]]])(
    'has no payment that sends the money back when it is %j',
    (reversal_bulk_payment) => {
      const read = readResource(REVERSAL, reversal({ status: 'Scheduled', reversal_bulk_payment }));
      expect(read).toMatchObject({ status: 'Scheduled', reversalBulkPayment: null });
    },
  );

  it('keeps the errors beside a cancelled payment', () => {
    const read = readResource(
      REVERSAL,
      reversal({
        status: 'Processed',
        reversal_bulk_payment: { ...BULK_PAYMENT, status: 'Cancelled' },
        errors: 'The balance is insufficient for the transaction',
      }),
    );
    expect(read).toMatchObject({
      reversalBulkPayment: { status: 'Cancelled' },
      errors: ['The balance is insufficient for the transaction'],
    });
  });
});
