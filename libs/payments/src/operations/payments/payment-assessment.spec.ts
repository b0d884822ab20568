import { describe, expect, it } from '@jest/globals';
import type { Assessment } from '../../ledger/assessment.js';
import type { ReviewCause } from '../../store/operation.js';
import type { IncomingPayment } from '../../platform/resources/incoming-payments.service.js';
import type { Transaction } from '../../money/transaction.js';
import { anIncomingPayment, aPaymentRecord, aTransaction } from '../../testing/ledger.fixture.js';
import type { TillAliases } from '../../money/till-number.js';
import { assess } from './payment.kind.js';

const shown = (
  status: string | null,
  resource: Partial<Transaction> | null = {},
  errors: string[] = [],
): IncomingPayment => ({
  ...anIncomingPayment('x', '', resource && aTransaction(resource), errors),
  status,
});

const assessed = (incomingPayment: IncomingPayment, aliases: TillAliases = {}): Assessment =>
  assess(aPaymentRecord(), incomingPayment, aliases);

describe('the evidence about a payment', () => {
  it('is proof when it agrees completely with the request', () => {
    expect(assessed(shown('Success'))).toMatchObject({ kind: 'succeeded', notes: [] });
    expect(assessed(shown('Success', { status: 'Complete', amount: '100' }))).toMatchObject({
      kind: 'succeeded',
    });
    expect(
      assessed(shown('Success', { tillNumber: 'K000123' }), { K000123: '514459' }),
    ).toMatchObject({
      kind: 'succeeded',
    });
  });

  it('is proof even with another payer, which is noted', () => {
    expect(assessed(shown('Success', { senderPhoneNumber: '+254700000009' }))).toMatchObject({
      kind: 'succeeded',
      notes: ['paid from another phone than the prompted one'],
    });
    expect(assessed(shown('Success', { senderPhoneNumber: null }))).toMatchObject({
      kind: 'succeeded',
      notes: [expect.any(String)],
    });
  });

  it.each<[string, IncomingPayment, ReviewCause]>([
    ['another amount', shown('Success', { amount: '99.99' }), 'amount_mismatch'],
    ['an amount below the minor unit', shown('Success', { amount: '100.001' }), 'amount_mismatch'],
    ['an amount that cannot be read', shown('Success', { amount: null }), 'unreadable_amount'],
    ['another currency', shown('Success', { currency: 'UGX' }), 'currency_mismatch'],
    ['another till', shown('Success', { tillNumber: 'K000123' }), 'till_mismatch'],
    ['no till', shown('Success', { tillNumber: null }), 'till_mismatch'],
    ['success with errors', shown('Success', {}, ['but']), 'success_with_errors'],
    ['failure with a transaction', shown('Failed', {}, ['no']), 'failed_with_transaction'],
    ['a reversed transaction', shown('Success', { status: 'Reversed' }), 'reversed'],
  ])('contradicts the request with %s', (_, evidence, cause) => {
    expect(assessed(evidence)).toMatchObject({ kind: 'contradiction', cause });
  });

  it('names the missing alias when the tills differ', () => {
    expect(assessed(shown('Success', { tillNumber: 'K000123' }))).toMatchObject({
      detail: expect.stringContaining('PAYMENTS_TILL_ALIASES=K000123=514459'),
    });
  });

  it('is no proof without a transaction or without a reference', () => {
    expect(assessed(shown('Success', null))).toEqual({ kind: 'no_transaction' });
    expect(assessed(shown('Success', { reference: null }))).toEqual({ kind: 'no_transaction' });
  });

  it.each([
    ['the status Pending', shown('Pending', null), null],
    ['the status Received', shown('Received', null), null],
    ['the status Received beside a transaction', shown('Received'), null],
    ['the status Received beside errors', shown('Received', {}, ['no']), null],
    ['an unknown status', shown('Settling', null), 'Settling'],
    ['no status', shown(null, null), null],
    ['a status in small letters', shown('success'), 'success'],
    ['an unknown status of its transaction', shown('Success', { status: 'Held' }), 'Held'],
  ])('is not final with %s', (_, evidence, unknownStatus) => {
    expect(assessed(evidence)).toEqual({ kind: 'open', unknownStatus });
  });

  it('of a failure has the texts of the platform, and no reason yet', () => {
    const errors = ['Request cancelled by user'];
    expect(assessed(shown('Failed', null, errors))).toEqual({
      kind: 'failed',
      reason: null,
      errors,
    });
  });
});
