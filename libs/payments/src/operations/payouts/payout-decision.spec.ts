import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../../../test/support/thorough.js';
import type { Decision } from '../../ledger/assessment.js';
import { mayChange } from '../../ledger/operation-states.js';
import {
  aDisbursement,
  aPayoutRecord,
  aSendMoney,
  aWallet,
} from '../../testing/payouts.fixture.js';
import { decidePayout } from './payout-decision.js';
import type { PayoutRecord } from './payout.js';
import { resultsOf } from './payout-results.js';
import { failureReason } from '../../money/known-failures.js';
import { FAILURE_STANDS_AFTER_MS } from '../../ledger/decisions.js';

const TO = [aWallet(), aWallet('100', '+254700000002')];

type Disbursements = Parameters<typeof aSendMoney>[0];

const first = (status: string, changes = {}) => aDisbursement(status, changes);
const second = (status: string, changes = {}) =>
  aDisbursement(status, { phone_number: '254700000002', ...changes });

let now = Date.parse('2026-01-31T08:00:00Z');

/** Every report comes so long after the one before that it could confirm it. */
const later = (): number => (now += FAILURE_STANDS_AFTER_MS);

function decided(
  payout: PayoutRecord,
  shown: Disbursements,
  {
    isRead = false,
    isOwnRead = isRead,
    at = later(),
    errors = null,
  }: {
    isRead?: boolean;
    isOwnRead?: boolean;
    at?: number | null;
    errors?: string[] | null;
  } = {},
): Decision {
  const sendMoney = aSendMoney(shown, { errors });
  const assessment = { ...resultsOf(payout, sendMoney), errors: sendMoney.errors };
  return decidePayout(payout, assessment, {
    tiedTo: null,
    received: null,
    transfersOfOthers: new Map(),
    reversal: null,
    otherTill: null,
    isRead,
    isOwnRead,
    at,
    reasonOf: failureReason,
  });
}

/** Returns the payout after a result, as the ledger changes it. */
function after(
  payout: PayoutRecord,
  ...[shown, options]: [Disbursements, Parameters<typeof decided>[2]?]
): PayoutRecord {
  const decision = decided(payout, shown, options);
  if (decision.kind === 'accept') return { ...payout, state: 'pending' };
  if (decision.kind !== 'change') return payout;
  const { set } = decision.change;
  if (set.state && set.state !== payout.state)
    expect({ from: payout.state, to: set.state, may: mayChange(payout.state, set.state) }).toEqual({
      from: payout.state,
      to: set.state,
      may: true,
    });
  return { ...payout, ...set } as PayoutRecord;
}

const READ = { isRead: true };
const PENDING = aPayoutRecord(TO);

describe('a result of a payout', () => {
  it('makes it succeeded when every destination is transferred, also in several callbacks', () => {
    const part = after(PENDING, [first('Transferred', { transaction_reference: 'A' })]);
    expect(part).toMatchObject({ state: 'pending', outcome: [{ state: 'paid' }, {}] });
    expect(after(part, [second('Transferred')])).toMatchObject({
      state: 'succeeded',
      outcome: [{ state: 'paid', transactionReference: 'A' }, { state: 'paid' }],
    });
  });

  describe('that says Cancelled', () => {
    const gone = [first('Cancelled'), second('Cancelled')];
    const at = (minutes: number) => ({ at: now + minutes * 60_000 });

    it('makes it failed when a read says so minutes after the first report, and not earlier', () => {
      let payout = after(PENDING, gone, at(0));
      for (const minutes of [0.02, 1, 2])
        payout = after(payout, gone, { isRead: true, ...at(minutes) });
      expect(payout).toMatchObject({ state: 'pending', outcome: [{ state: 'failed' }, {}] });
      expect(after(payout, gone, { isRead: true, ...at(2.5) }).state).toBe('failed');
    });

    it('does not make it failed in a callback, nor in a read that a callback has caused, however late', () => {
      const payout = after(PENDING, gone, at(0));
      expect(after(payout, gone, at(60)).state).toBe('pending');
      const caused = { isRead: true, isOwnRead: false, ...at(60) };
      expect(after(payout, gone, caused).state).toBe('pending');
    });

    it('is confirmed for each destination by itself', () => {
      let payout = after(PENDING, [first('Cancelled')], at(0));
      payout = after(payout, gone, { isRead: true, ...at(5) });
      expect(payout.state).toBe('pending');
      expect(after(payout, gone, { isRead: true, ...at(6) }).state).toBe('pending');
      expect(after(payout, gone, { isRead: true, ...at(8) }).state).toBe('failed');
    });

    it.each([
      ['alone', [first('Transferred')]],
      [
        'beside the other one, which is cancelled by then',
        [first('Transferred'), first('Cancelled')],
      ],
    ])(
      'needs a new confirmation when one of two equal destinations is paid %s, because that may be the one that had failed',
      (_, paid) => {
        const all = [first('Transferred'), first('Cancelled')];
        const twins = aPayoutRecord([aWallet(), aWallet()]);
        let payout = after(twins, [first('Cancelled')], at(0));
        payout = after(payout, paid, { isRead: true, ...at(3) });
        payout = after(payout, all, { isRead: true, ...at(5) });
        expect(payout.state).toBe('pending');
        expect(after(payout, all, { isRead: true, ...at(8) }).state).toBe('partially_succeeded');
      },
    );

    it('counts from the first read when it came while the platform clock was not known', () => {
      let payout = after(PENDING, gone, { at: null });
      payout = after(payout, gone, { isRead: true, ...at(60) });
      expect(payout.state).toBe('pending');
      expect(after(payout, gone, { isRead: true, ...at(63) }).state).toBe('failed');
    });
  });

  it('that is Processed alone means nothing', () => {
    expect(decided(PENDING, null, READ)).toEqual({ kind: 'keep', anomaly: null });
    expect(decided({ ...PENDING, state: 'unknown' }, null)).toEqual({ kind: 'accept' });
  });

  it('with an unknown word is an anomaly and changes nothing', () => {
    expect(decided(PENDING, [first('Settled')])).toEqual({
      kind: 'keep',
      anomaly: 'unknown status Settled',
    });
  });

  it('before it was sent changes nothing, and is an anomaly', () => {
    expect(decided({ ...PENDING, state: 'created' }, [first('Transferred')])).toEqual({
      kind: 'keep',
      anomaly: 'evidence before sending',
    });
  });

  it('does not make it failed when a callback or one read says Cancelled', () => {
    const shown = [first('Cancelled'), second('Cancelled')];
    const once = after(PENDING, shown);
    expect(once.state).toBe('pending');
    expect(after(once, shown).state).toBe('pending');
    expect(after(PENDING, shown, READ).state).toBe('pending');
  });

  it('makes it failed when a later read says Cancelled again, with the words of the platform', () => {
    const shown = [
      first('Cancelled', { errors: ['The balance is insufficient'] }),
      second('Cancelled'),
    ];
    expect(after(after(PENDING, shown), shown, READ)).toMatchObject({
      state: 'failed',
      reason: 'insufficient_funds',
      errors: ['The balance is insufficient'],
    });
  });

  it.each([
    ['shows nothing', null],
    ['shows it as Pending', [first('Pending'), second('Pending')]],
    ['says it of one destination only', [first('Cancelled')]],
  ])('does not make it failed when the later read %s', (_, shown) => {
    const once = after(PENDING, [first('Cancelled'), second('Cancelled')]);
    expect(after(once, shown, READ).state).toBe('pending');
  });

  it('makes it partially succeeded when a read confirms that one of two was not paid', () => {
    const shown = [first('Transferred'), second('Cancelled')];
    const once = after(PENDING, shown);
    expect(once.state).toBe('pending');
    expect(after(once, null, READ).state).toBe('pending');
    expect(after(once, shown, READ)).toMatchObject({
      state: 'partially_succeeded',
      outcome: [{ state: 'paid' }, { state: 'failed' }],
    });
  });

  it('of a transfer after a failure sends it to review, in every state', () => {
    const shown = [first('Cancelled'), second('Cancelled')];
    const open = after(PENDING, shown);
    const failed = after(open, shown, READ);
    const paid = [first('Transferred'), second('Cancelled')];
    for (const payout of [open, failed])
      expect(after(payout, paid)).toMatchObject({
        state: 'needs_review',
        cause: 'paid_after_failure',
      });
    const part = after(after(PENDING, paid), paid, READ);
    expect(after(part, [first('Transferred'), second('Transferred')])).toMatchObject({
      state: 'needs_review',
      cause: 'paid_after_failure',
    });
  });

  it('of a transfer sends a payout to review whose create the platform refused', () => {
    const refused = aPayoutRecord(TO, { state: 'failed', reason: 'rejected' });
    expect(after(refused, [first('Transferred')])).toMatchObject({
      state: 'needs_review',
      cause: 'paid_after_failure',
    });
  });

  it('with errors beside Transferred sends it to review', () => {
    expect(after(PENDING, [first('Transferred', { errors: ['odd'] })])).toMatchObject({
      state: 'needs_review',
      cause: 'success_with_errors',
      causeDetail: expect.stringContaining('odd'),
    });
  });

  it('that names another transfer to a destination that was paid sends it to review', () => {
    const once = after(PENDING, [first('Transferred', { transaction_reference: 'A' })]);
    expect(after(once, [first('Transferred', { transaction_reference: 'B' })])).toMatchObject({
      state: 'needs_review',
      cause: 'second_transaction',
    });
  });

  it('that names another transfer to a destination sends it to review, also after one that names none', () => {
    const named = after(PENDING, [first('Transferred', { transaction_reference: 'A' })]);
    const unnamed = after(named, [first('Transferred')]);
    expect(after(unnamed, [first('Transferred', { transaction_reference: 'B' })])).toMatchObject({
      state: 'needs_review',
      cause: 'second_transaction',
    });
  });

  it('that names another transfer during a review is a contradiction, also when the first result named none', () => {
    const doubtful = second('Transferred', { errors: ['odd'] });
    const review = after(PENDING, [first('Transferred'), doubtful]);
    const named = after(review, [first('Transferred', { transaction_reference: 'A' })]);
    expect(named).toMatchObject({
      state: 'needs_review',
      outcome: [{ transactionReference: 'A' }, {}],
    });
    expect(decided(named, [first('Transferred', { transaction_reference: 'B' })])).toMatchObject({
      kind: 'contradict',
      cause: 'second_transaction',
    });
  });

  it('that sends it to review keeps what is known of each destination', () => {
    const shown = [
      first('Transferred', { transaction_reference: 'A' }),
      second('Transferred', { errors: ['odd'] }),
    ];
    expect(after(PENDING, shown)).toMatchObject({
      state: 'needs_review',
      outcome: [{ state: 'paid', transactionReference: 'A' }, { errors: ['odd'] }],
    });
  });

  it('of a transfer without a reference sends a payout to review that a person has decided to be failed', () => {
    const outcome = TO.map(
      () => ({ state: 'failed', transactionReference: null, errors: [] }) as const,
    );
    const decidedFailed = aPayoutRecord(TO, { state: 'failed', decided: true, outcome });
    expect(after(decidedFailed, [first('Transferred')])).toMatchObject({ state: 'needs_review' });
  });

  it('settles a review that had no evidence', () => {
    const review = aPayoutRecord(TO, { state: 'needs_review', cause: 'no_evidence' });
    const shown = [first('Transferred'), second('Transferred')];
    expect(after(review, shown, READ)).toMatchObject({ state: 'succeeded', cause: null });
  });

  it('says nothing after retention has redacted the recipients', () => {
    const redacted = { ...PENDING, state: 'succeeded', recipients: [] } as const;
    expect(decided(redacted, [first('Cancelled')])).toEqual({ kind: 'keep', anomaly: null });
  });

  it('says nothing after one of several recipients was redacted, because nothing says whose result is whose', () => {
    const recipients = [null, ...PENDING.recipients.slice(1)];
    const redacted = { ...PENDING, state: 'succeeded', recipients } as const;
    expect(decided(redacted, [first('Cancelled')])).toEqual({ kind: 'keep', anomaly: null });
  });

  it('is an anomaly after retention has redacted the recipients of one that was not paid in full', () => {
    const redacted = { ...PENDING, state: 'partially_succeeded', recipients: [] } as const;
    expect(decided(redacted, [first('Transferred')])).toMatchObject({
      kind: 'keep',
      anomaly: 'evidence after redaction',
    });
  });

  it.each([
    ['succeeded', ['Transferred', 'Transferred']],
    ['partially_succeeded', ['Transferred', 'Cancelled']],
    ['failed', ['Cancelled', 'Cancelled']],
  ] as const)('in any order with older ones ends as %s', (state, [one, other]) => {
    // Each piece of evidence: what is known of each destination at that time. The last read always comes at the end.
    const statuses = (final: string) => fc.constantFrom('Pending', 'Processed', final);
    const piece = fc.record({
      shown: fc.option(fc.tuple(statuses(one), statuses(other)), { nil: null }),
      isPart: fc.boolean(),
      isSwapped: fc.boolean(),
      isRead: fc.boolean(),
    });
    for (const to of [TO, [aWallet(), aWallet()]]) {
      const secondOf = to === TO ? second : first;
      fc.assert(
        fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
          let payout = aPayoutRecord(to, { state: 'requested' });
          for (const { shown, isPart, isSwapped, isRead } of pieces) {
            const all = shown && [first(shown[0]), secondOf(shown[1])];
            if (isSwapped) all?.reverse();
            payout = after(payout, isPart ? (all?.slice(0, 1) ?? null) : all, { isRead });
          }
          const end = [first(one), secondOf(other)];
          for (let n = 0; n < 2; n += 1) payout = after(payout, end, READ);
          expect(payout.state).toBe(state);
        }),
        { numRuns: runs(1_000) },
      );
    }
  });

  it('during a review is kept, also beside what the review is about, and the first transfer stays', () => {
    const doubtful = first('Transferred', { transaction_reference: 'A', errors: 'Not credited' });
    const review = after(PENDING, [doubtful]);
    expect(review).toMatchObject({
      state: 'needs_review',
      outcome: [{ state: 'paid' }, { state: 'open' }],
    });
    const paid = second('Transferred', { transaction_reference: 'B' });
    const known = {
      state: 'needs_review',
      outcome: [{ transactionReference: 'A' }, { state: 'paid', transactionReference: 'B' }],
    };
    expect(after(review, [paid])).toMatchObject(known);
    expect(decided(review, [doubtful, paid])).toMatchObject({
      kind: 'contradict',
      outcome: known.outcome,
    });
    expect(decided(after(review, [paid]), [paid])).toEqual({ kind: 'keep', anomaly: null });
    const again = second('Transferred', { transaction_reference: 'C' });
    expect(decided(after(review, [paid]), [again])).not.toHaveProperty('outcome');
  });
});
