import { describe, expect, it } from '@jest/globals';
import { changeOf, READ_AGAIN_MS, READ_REVIEW_MS } from './decisions.js';
import { type OperationChange, READ_FAILED_MS } from './operation-changes.js';
import { aPaymentRecord, aTransaction } from '../testing/ledger.fixture.js';
import type { Decision } from './assessment.js';
import type { OperationFields, ReviewCause, Via } from '../store/operation.js';

const TRANSACTION = aTransaction({ reference: 'REF1' });
const FIRST_READ_MS = 7_000;

const changed = (
  decision: Decision,
  fields: Partial<Parameters<typeof aPaymentRecord>[0]> = {},
  via: Via = 'callback',
): OperationChange | null =>
  changeOf(aPaymentRecord({ state: 'pending', ...fields }), via, decision, FIRST_READ_MS);

const REVIEW = { kind: 'review', cause: 'amount_mismatch', detail: 'other', reference: 'REF1' };
const review = (more: object = {}): Decision =>
  ({ ...REVIEW, transaction: null, ...more }) as Decision;
const contradiction = (more: object = {}): Decision =>
  ({ ...REVIEW, kind: 'contradict', transaction: null, ...more }) as Decision;

describe('The change of a decision', () => {
  it('does not exist when the operation is kept', () => {
    expect(changed({ kind: 'keep', anomaly: null })).toBeNull();
  });

  it('makes an accepted operation pending until its first read', () => {
    expect(changed({ kind: 'accept' })).toEqual({
      via: 'callback',
      set: { state: 'pending' },
      dueInMs: FIRST_READ_MS,
    });
  });

  it('counts a success without a transaction, and plans a read soon', () => {
    expect(changed({ kind: 'read_again' }, { emptySuccesses: 2 }, 'status')).toEqual({
      via: 'status',
      set: { emptySuccesses: 3 },
      dueInMs: READ_AGAIN_MS,
    });
  });

  it('assigns the transaction to an operation that succeeds', () => {
    const decision = { kind: 'succeed', transaction: TRANSACTION } as Decision;
    expect(changed(decision)).toEqual({
      via: 'callback',
      set: {
        state: 'succeeded',
        transaction: TRANSACTION,
        reason: null,
        errors: [],
        cause: null,
        causeDetail: null,
      },
      dueInMs: null,
      tie: TRANSACTION,
    });
  });

  it.each<[string, Via, Date | null, number | null]>([
    ['an operation that was sent, and plans another read', 'callback', new Date(), READ_FAILED_MS],
    ['an operation whose create was refused, and plans no read', 'request', new Date(), null],
    ['an operation that was not sent, and plans no read', 'review', null, null],
  ])('fails %s', (_, via, sentAt, dueInMs) => {
    const fields = { sentAt, cause: 'no_evidence', causeDetail: 'nothing' } as const;
    expect(changed({ kind: 'fail', reason: 'cancelled', errors: ['no'] }, fields, via)).toEqual({
      via,
      set: { state: 'failed', reason: 'cancelled', errors: ['no'], cause: null, causeDetail: null },
      dueInMs,
    });
  });

  it('is the change of the kind when the decision contains one', () => {
    const change = { set: { checks: 7 } as OperationFields, dueInMs: 5, note: 'swept' };
    expect(changed({ kind: 'change', change }, {}, 'sweep')).toEqual({ via: 'sweep', ...change });
  });
});

describe('The change to a review', () => {
  it('says the cause, its detail in one line and when it is read again', () => {
    const decision = review({ detail: 'other\n  amount' });
    expect(changed(decision)).toEqual({
      via: 'callback',
      set: { state: 'needs_review', cause: 'amount_mismatch', causeDetail: 'other amount' },
      dueInMs: null,
      note: 'other amount',
      review: decision,
    });
  });

  it('assigns the transaction that was shown to the operation', () => {
    const change = changed(review({ transaction: TRANSACTION }));
    expect(change).toMatchObject({ set: { transaction: TRANSACTION }, tie: TRANSACTION });
  });

  it.each<[ReviewCause, string, number | null]>([
    ['no_evidence', 'the next read in an hour', READ_REVIEW_MS],
    ['no_transaction', 'the next read in an hour', READ_REVIEW_MS],
    ['ambiguous', 'the next read in an hour', READ_REVIEW_MS],
    ['amount_mismatch', 'no read', null],
  ])('for the cause %s plans %s', (cause, _, dueInMs) => {
    expect(changed(review({ cause }))?.dueInMs).toBe(dueInMs);
  });
});

describe('The change to a contradiction', () => {
  it('says the cause and the detail, and leaves the state and the schedule', () => {
    const decision = contradiction({ detail: 'other\namount' });
    expect(changed(decision)).toEqual({
      via: 'callback',
      set: { cause: 'amount_mismatch', causeDetail: 'other amount' },
      note: 'other amount',
      review: decision,
    });
  });

  it('keeps the first cause and adds the detail to those before', () => {
    const fields = { cause: 'no_evidence', causeDetail: 'first\nsecond' } as const;
    expect(changed(contradiction(), fields)).toMatchObject({
      set: { cause: 'no_evidence', causeDetail: 'first\nsecond\nother' },
      note: 'other',
    });
  });

  it('that is known changes nothing', () => {
    expect(changed(contradiction(), { causeDetail: 'first\nother' })).toBeNull();
  });

  it('that is known still adds what it says about the outcome', () => {
    const decision = contradiction({ outcome: 'paid' });
    expect(changed(decision, { causeDetail: 'other' })).toEqual({
      via: 'callback',
      set: { outcome: 'paid' },
    });
  });

  it('that is a part of a known one is new', () => {
    const change = changed(contradiction(), { causeDetail: 'another' });
    expect(change?.set).toMatchObject({ causeDetail: 'another\nother' });
  });

  it('adds what it says about the outcome', () => {
    expect(changed(contradiction({ outcome: null }))?.set).toMatchObject({ outcome: null });
  });

  it('assigns the transaction that was shown to the operation', () => {
    expect(changed(contradiction({ transaction: TRANSACTION }))).toMatchObject({
      tie: TRANSACTION,
    });
    expect(changed(contradiction())).not.toHaveProperty('tie');
  });

  it('is stored up to 2,000 characters, and beyond that only emits the event', () => {
    const longest = 2_000 - '\nother'.length;
    expect(changed(contradiction(), { causeDetail: 'x'.repeat(longest) })?.set).toMatchObject({
      causeDetail: `${'x'.repeat(longest)}\nother`,
    });
    const decision = contradiction({ transaction: TRANSACTION, outcome: 'paid' });
    expect(changed(decision, { causeDetail: 'x'.repeat(longest + 1) })).toEqual({
      via: 'callback',
      set: { outcome: 'paid' },
      tie: TRANSACTION,
      review: decision,
    });
  });
});
