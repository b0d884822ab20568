import { describe, expect, it } from '@jest/globals';
import type { IncomingPayment } from '../resources/incoming-payments/incoming-payment.resource.js';
import type { Transaction } from '../resources/transaction.resource.js';
import { aTransaction } from '../testing/ledger.fixture.js';
import { failureReason } from './failure-reason.js';
import { decide, type DecisionContext } from './payment.decision.js';
import { judgeIncomingPayment } from './payment.judgement.js';
import type { PaymentRecord, PaymentState, ReviewCause } from './payment.js';
import { mayChange, TRANSITIONS } from './payment.states.js';

const TRANSACTION = aTransaction({ type: 'Incoming Payment Request', reference: 'REF1' });

const payment = (changes: Partial<PaymentRecord> = {}): PaymentRecord => ({
  id: 'p',
  account: 'default',
  state: 'pending',
  idempotencyKey: 'k',
  platformId: 'x',
  tillNumber: '514459',
  subscriber: { firstName: 'J', lastName: 'D', phoneNumber: '+254700000001' },
  amount: { currency: 'KES', value: '100.00' },
  metadata: null,
  transaction: null,
  reason: null,
  errors: [],
  cause: null,
  causeDetail: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  version: 1,
  channel: 'c',
  allowParallel: false,
  tills: ['514459'],
  inBackground: false,
  sender: null,
  windowSwept: false,
  deniedAt: null,
  decided: false,
  amountMinor: '10000',
  sentAt: new Date(0),
  emptySuccesses: 0,
  checks: 0,
  ageMs: 0,
  unchangedMs: 0,
  sendWithinMs: 0,
  ...changes,
});

const told = (
  status: string | null,
  resource: Partial<Transaction> | null = {},
  errors: string[] = [],
): Pick<IncomingPayment, 'status' | 'event'> => ({
  status,
  event: {
    type: 'Incoming Payment Request',
    resource: resource && { ...TRANSACTION, ...resource },
    errors,
  },
});

const judge = (evidence: ReturnType<typeof told>, aliases = {}) =>
  judgeIncomingPayment(payment(), evidence, aliases);

describe('what the platform says', () => {
  it('is proof when all of it agrees with the request', () => {
    expect(judge(told('Success'))).toMatchObject({ kind: 'succeeded', notes: [] });
    expect(judge(told('Success', { status: 'Complete', amount: '100' }))).toMatchObject({
      kind: 'succeeded',
    });
    expect(judge(told('Success', { tillNumber: 'K000123' }), { K000123: '514459' })).toMatchObject({
      kind: 'succeeded',
    });
  });

  it('is proof also of another payer, which is written down', () => {
    expect(judge(told('Success', { senderPhoneNumber: '+254700000009' }))).toMatchObject({
      kind: 'succeeded',
      notes: ['paid from another phone than the one asked'],
    });
    expect(judge(told('Success', { senderPhoneNumber: null }))).toMatchObject({
      kind: 'succeeded',
      notes: [expect.any(String)],
    });
  });

  it.each<[string, ReturnType<typeof told>, ReviewCause]>([
    ['another amount', told('Success', { amount: '99.99' }), 'amount_mismatch'],
    ['an amount below the minor unit', told('Success', { amount: '100.001' }), 'amount_mismatch'],
    ['an amount that cannot be read', told('Success', { amount: null }), 'unreadable_amount'],
    ['another currency', told('Success', { currency: 'UGX' }), 'currency_mismatch'],
    ['another till', told('Success', { tillNumber: 'K000123' }), 'till_mismatch'],
    ['no till', told('Success', { tillNumber: null }), 'till_mismatch'],
    ['success with errors', told('Success', {}, ['but']), 'success_with_errors'],
    ['failure with a transaction', told('Failed', {}, ['no']), 'failed_with_transaction'],
    ['a reversed transaction', told('Success', { status: 'Reversed' }), 'reversed'],
  ])('contradicts the request with %s', (_, evidence, cause) => {
    expect(judge(evidence)).toMatchObject({ kind: 'contradiction', cause });
  });

  it('names the alias that would join two tills', () => {
    expect(judge(told('Success', { tillNumber: 'K000123' }))).toMatchObject({
      detail: expect.stringContaining('PAYMENTS_TILL_ALIASES=K000123=514459'),
    });
  });

  it('is no proof without a transaction or its reference', () => {
    expect(judge(told('Success', null))).toEqual({ kind: 'no_transaction' });
    expect(judge(told('Success', { reference: null }))).toEqual({ kind: 'no_transaction' });
  });

  it.each([
    [told('Pending', null), null],
    [told('Received', null), null],
    [told('Settling', null), 'Settling'],
    [told(null, null), null],
    [told('success'), 'success'],
    [told('Success', { status: 'Held' }), 'Held'],
  ])('is not final with an unfinished or unknown status', (evidence, unknownStatus) => {
    expect(judge(evidence)).toEqual({ kind: 'open', unknownStatus });
  });

  it.each([
    [['Request cancelled by user'], 'cancelled'],
    [['The initiator information is invalid.'], 'wrong_pin'],
    [['The balance is insufficient for the transaction'], 'insufficient_funds'],
    [['DS timeout user cannot be reached'], 'timeout'],
    [['No response from user.'], 'timeout'],
    [['Declined due to limit rule'], 'limit'],
    [['Unable to lock subscriber, a transaction is already in process'], 'busy'],
    [['Something of tomorrow'], 'unknown'],
    [[], 'unknown'],
  ])('gives a failure of %p the reason %s', (errors, reason) => {
    expect(failureReason(errors)).toBe(reason);
    expect(judge(told('Failed', null, errors))).toMatchObject({ kind: 'failed', reason });
  });
});

const CONTEXT: DecisionContext = {
  tiedTo: null,
  reversed: false,
  isRead: false,
};

const SUCCESS = judge(told('Success'));
const FAILURE = judge(told('Failed', null, ['no']));
const MISMATCH = judge(told('Success', { amount: '1' }));
const EMPTY = judge(told('Success', null));
const OPEN = judge(told('Pending', null));

describe('what a judgement does', () => {
  const decided = (
    state: PaymentState,
    judgement: typeof SUCCESS,
    context: Partial<DecisionContext> = {},
    changes: Partial<PaymentRecord> = {},
  ) => decide(payment({ state, ...changes }), judgement, { ...CONTEXT, ...context });

  it.each<PaymentState>(['requested', 'pending', 'unknown'])(
    'decides a payment that is %s',
    (state) => {
      expect(decided(state, SUCCESS).kind).toBe('succeed');
      expect(decided(state, FAILURE).kind).toBe('fail');
      expect(decided(state, MISMATCH)).toMatchObject({ kind: 'review', cause: 'amount_mismatch' });
      expect(decided(state, EMPTY).kind).toBe('read_again');
    },
  );

  it('says that the platform has a payment that was only sent', () => {
    expect(decided('requested', OPEN).kind).toBe('accept');
    expect(decided('unknown', OPEN).kind).toBe('accept');
    expect(decided('pending', OPEN)).toEqual({ kind: 'keep', count: null });
    expect(decided('pending', judge(told('Settling', null)))).toEqual({
      kind: 'keep',
      count: 'unknown status Settling',
    });
  });

  it('asks for review when a read, again, shows no transaction', () => {
    expect(decided('pending', EMPTY, { isRead: true }).kind).toBe('read_again');
    expect(decided('pending', EMPTY, { isRead: true }, { emptySuccesses: 1 })).toMatchObject({
      kind: 'review',
      cause: 'no_transaction',
    });
    expect(decided('pending', EMPTY, { isRead: false }, { emptySuccesses: 1 }).kind).toBe(
      'read_again',
    );
    expect(decided('succeeded', EMPTY)).toEqual({ kind: 'keep', count: null });
  });

  it('asks for review when money shows up after a failure', () => {
    expect(decided('failed', SUCCESS)).toMatchObject({
      kind: 'review',
      cause: 'paid_after_failure',
    });
    expect(decided('failed', MISMATCH)).toMatchObject({
      kind: 'review',
      cause: 'paid_after_failure',
    });
  });

  it('keeps a success when a failure is told afterwards, and counts it', () => {
    expect(decided('succeeded', FAILURE)).toEqual({
      kind: 'keep',
      count: 'failure while succeeded',
    });
    expect(decided('failed', FAILURE)).toEqual({ kind: 'keep', count: null });
  });

  it('tells a second transaction, and keeps the first', () => {
    expect(decided('succeeded', SUCCESS)).toMatchObject({
      kind: 'contradict',
      cause: 'second_transaction',
      reference: 'REF1',
    });
    expect(decided('succeeded', SUCCESS, { tiedTo: 'p' }).kind).toBe('keep');
    expect(decided('succeeded', MISMATCH, { tiedTo: 'p' })).toEqual({
      kind: 'keep',
      count: 'amount_mismatch while succeeded',
    });
  });

  it('gives no payment the money of another one', () => {
    expect(decided('pending', SUCCESS, { tiedTo: 'q' })).toMatchObject({
      kind: 'review',
      cause: 'transaction_of_another_payment',
    });
    expect(decided('pending', SUCCESS, { tiedTo: 'p' }).kind).toBe('succeed');
    expect(
      decided('needs_review', SUCCESS, { tiedTo: 'q' }, { cause: 'amount_mismatch' }),
    ).toMatchObject({ kind: 'contradict', cause: 'transaction_of_another_payment' });
    expect(decided('pending', MISMATCH, { tiedTo: 'q' })).toMatchObject({
      kind: 'review',
      transaction: null,
    });
  });

  it('does not call a success what was reversed before', () => {
    expect(decided('pending', SUCCESS, { reversed: true })).toMatchObject({
      kind: 'review',
      cause: 'reversed',
    });
  });

  it.each<ReviewCause>(['no_evidence', 'no_transaction', 'ambiguous'])(
    'settles a review for %s by itself',
    (cause) => {
      expect(decided('needs_review', SUCCESS, {}, { cause }).kind).toBe('succeed');
      expect(decided('needs_review', FAILURE, {}, { cause }).kind).toBe('fail');
      expect(decided('needs_review', MISMATCH, {}, { cause })).toMatchObject({
        kind: 'review',
        cause: 'amount_mismatch',
      });
    },
  );

  it.each<ReviewCause>([
    'amount_mismatch',
    'paid_after_failure',
    'reversed',
    'success_with_errors',
  ])('leaves a review for %s to a person', (cause) => {
    expect(decided('needs_review', SUCCESS, { tiedTo: 'p' }, { cause }).kind).toBe('keep');
    expect(decided('needs_review', FAILURE, {}, { cause }).kind).toBe('keep');
  });

  it('emits another review for other money, or another contradiction', () => {
    const cause = 'amount_mismatch';
    expect(decided('needs_review', SUCCESS, {}, { cause })).toMatchObject({
      kind: 'contradict',
      cause: 'second_transaction',
    });
    expect(decided('needs_review', MISMATCH, {}, { cause })).toMatchObject({
      kind: 'contradict',
      cause: 'amount_mismatch',
      reference: 'REF1',
    });
  });

  it('takes nothing for a payment that was never sent', () => {
    for (const judgement of [SUCCESS, FAILURE, MISMATCH, EMPTY, OPEN])
      expect(decided('created', judgement)).toEqual({
        kind: 'keep',
        count: 'evidence before sending',
      });
  });
});

describe('the table of states', () => {
  it('lets a final state change only as money does', () => {
    expect(TRANSITIONS.succeeded).toEqual(['reversed']);
    expect(TRANSITIONS.failed).toEqual(['needs_review']);
    expect(TRANSITIONS.reversed).toEqual([]);
    expect(mayChange('succeeded', 'failed')).toBe(false);
    expect(mayChange('unknown', 'requested')).toBe(false);
  });
});
