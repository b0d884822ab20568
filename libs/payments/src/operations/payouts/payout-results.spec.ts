import { describe, expect, it } from '@jest/globals';
import type { SendMoneyDestination } from '../../platform/resources/create-send-money.dto.js';
import {
  aDisbursement,
  aPayoutRecord,
  aSendMoney,
  aTill,
  aWallet,
} from '../../testing/payouts.fixture.js';
import type { DestinationOutcome } from './payout.js';
import { resultsOf, type PayoutResults } from './payout-results.js';

const OTHER = '+254700000002';
const paid = (reference: string | null = null, changes = {}) =>
  aDisbursement('Transferred', { transaction_reference: reference, ...changes });
const cancelled = (changes = {}) => aDisbursement('Cancelled', changes);

const known = (
  state: DestinationOutcome['state'],
  transactionReference: string | null = null,
): DestinationOutcome => ({ state, transactionReference, errors: [] });

const results = (
  recipients: readonly SendMoneyDestination[],
  disbursements: Parameters<typeof aSendMoney>[0],
  changes: Parameters<typeof aSendMoney>[1] = {},
  outcome: readonly DestinationOutcome[] | null = null,
): PayoutResults =>
  resultsOf(aPayoutRecord(recipients, { outcome }), aSendMoney(disbursements, changes));

const statesOf = ({ outcomes }: PayoutResults): string[] => outcomes.map(({ state }) => state);

describe('the results of a payout', () => {
  it('are open while the platform shows no batches', () => {
    expect(results([aWallet()], null)).toEqual({
      outcomes: [known('open')],
      contradiction: null,
      isUnmatched: false,
      unknownStatuses: [],
    });
  });

  it('belong to the destinations that they name, in whatever order they come', () => {
    const shown = [
      cancelled({ destination_type: 'till', phone_number: null, till_number: '000124' }),
      paid('B', { phone_number: '254700000002' }),
      paid('A'),
    ];
    const to = [aWallet(), aWallet('100', OTHER), aTill()];
    expect(results(to, shown).outcomes).toEqual([
      known('paid', 'A'),
      known('paid', 'B'),
      known('failed'),
    ]);
  });

  it('of two destinations that differ in their amount only are distinguished by it', () => {
    const shown = [cancelled({ amount: '200' }), paid('A', { amount: 100 })];
    expect(statesOf(results([aWallet('100.00'), aWallet('200')], shown))).toEqual([
      'paid',
      'failed',
    ]);
  });

  it('fit a type that is written as Mobile Wallet, and a phone number with its plus', () => {
    const shown = [paid('A', { destination_type: 'Mobile Wallet', phone_number: '+254700000001' })];
    expect(statesOf(results([aWallet(), aTill()], shown))).toEqual(['paid', 'open']);
  });

  it('fit a till with and without its K', () => {
    const shown = { destination_type: 'till', phone_number: null, till_number: 'K000124' };
    expect(statesOf(results([aTill()], [paid('A', shown)]))).toEqual(['paid']);
    expect(
      statesOf(
        results([aTill('100', 'K000124')], [paid('A', { ...shown, till_number: '000124' })]),
      ),
    ).toEqual(['paid']);
  });

  it("fit the merchant's own account by its reference, also when its type is written like that of others", () => {
    const own = { type: 'merchant_bank_account', reference: 'ref-1', amount: '100' } as const;
    const shown = [
      paid('A', {
        destination_type: 'Bank Account',
        phone_number: null,
        destination_reference: 'ref-1',
      }),
    ];
    expect(statesOf(results([own, aWallet()], shown))).toEqual(['paid', 'open']);
  });

  it('fit an account number that was requested with a space at its end', () => {
    const bank = {
      type: 'bank_account',
      bankBranchRef: 'branch',
      accountName: 'A',
      accountNumber: '17 ',
      amount: '100',
      description: 'pay',
    } as const;
    const shown = [
      paid('A', { destination_type: 'bank_account', phone_number: null, account_number: '17' }),
    ];
    expect(results([bank, aWallet()], shown)).toMatchObject({
      outcomes: [{ state: 'paid' }, { state: 'open' }],
      isUnmatched: false,
    });
  });

  it('that show nothing of their destination fit the only destination', () => {
    const bare = { destination_type: null, phone_number: null, amount: null };
    expect(statesOf(results([aWallet()], [paid('A', bare)]))).toEqual(['paid']);
  });

  it('that could belong to two destinations that differ are unmatched when all results are final', () => {
    const bare = { destination_type: null, phone_number: null };
    const to = [aWallet(), aTill()];
    const open = results(to, [cancelled(bare), aDisbursement('Pending', bare)]);
    expect(open).toMatchObject({ isUnmatched: false });
    const final = results(to, [cancelled(bare), paid('A', bare)]);
    expect(final).toMatchObject({ isUnmatched: true });
    expect(statesOf(final)).toEqual(['open', 'open']);
  });

  it.each([
    ['names another phone number', { phone_number: '254700000009' }],
    ['has another amount', { amount: '99' }],
    ['has another type', { destination_type: 'till' }],
    ['has an amount that cannot be read', { amount: 'a lot' }],
    ['is paid with an amount that cannot be read', { status: 'Transferred', amount: 'a lot' }],
  ])('are unmatched when one of them %s', (_, changes) => {
    expect(results([aWallet()], [cancelled(changes)])).toMatchObject({
      outcomes: [known('open')],
      isUnmatched: true,
    });
  });

  it('are unmatched when there are more of them than destinations', () => {
    expect(results([aWallet()], [paid('A'), cancelled()])).toMatchObject({ isUnmatched: true });
    expect(results([aWallet()], [paid('A'), paid('B')])).toMatchObject({ isUnmatched: true });
  });

  it('that name no recipient are all paid when all are transferred and count and sum agree', () => {
    const odd = { destination_type: 'Purse', phone_number: null };
    expect(results([aWallet(), aTill()], [paid('A', odd), paid('B', odd)])).toEqual({
      outcomes: [known('paid'), known('paid')],
      contradiction: null,
      isUnmatched: false,
      unknownStatuses: [],
    });
  });

  it.each([
    ['the only one names another phone', [aWallet()], [paid('A', { phone_number: OTHER })]],
    ...['254700000009.', 'tel:+254700000009', '2547****0009'].map(
      (phone_number) =>
        [
          `it names another phone as ${phone_number}`,
          [aWallet()],
          [paid('A', { phone_number })],
        ] as const,
    ),
    [
      'it names another phone, and thousands of blanks',
      [aWallet()],
      [paid('A', { phone_number: `${OTHER}${' '.repeat(5_000)}` })],
    ],
    [
      'it names an account of another kind, and thousands of blanks',
      [aWallet()],
      [
        paid('A', {
          phone_number: null,
          destination_type: `till${' '.repeat(5_000)}`,
          till_number: `000124${' '.repeat(5_000)}`,
        }),
      ],
    ],
    ['what it names cannot be read', [aWallet()], [paid('A', { phone_number: { number: OTHER } })]],
    [
      'two phones have exchanged their amounts',
      [aWallet('150'), aWallet('50', OTHER)],
      [paid('A', { amount: '50' }), paid('B', { amount: '150', phone_number: OTHER })],
    ],
    [
      'the sum is divided in another way',
      [aWallet('100'), aWallet('100', OTHER)],
      [paid('A', { amount: '150' }), paid('B', { amount: '50', phone_number: OTHER })],
    ],
    [
      'one of two names another phone, and the other one nobody',
      [aWallet(), aWallet('100', OTHER)],
      [paid('A', { phone_number: '254700000009' }), paid('B', { phone_number: null })],
    ],
  ])('are unmatched, although count and sum agree, when %s', (_, to, shown) => {
    expect(results(to, shown)).toMatchObject({ isUnmatched: true });
  });

  it.each([
    ['without its country code', '0700000001'],
    ['without anything before it', '700000001'],
    ['with blanks', '+254 700 000 001'],
    ['as an address', 'tel:254700000001'],
    ['with a mask', '2547****0001'],
    ['as a text that is no number', '12'],
  ])('fit the only destination when they show its phone number %s', (_, phone_number) => {
    expect(statesOf(results([aWallet()], [paid('A', { phone_number })]))).toEqual(['paid']);
  });

  it.each([
    ['another sum', { amount: '90' }],
    ['an unreadable amount', { amount: 'a lot' }],
  ])('that name no recipient are unmatched when they have %s', (_, changes) => {
    const odd = { destination_type: 'Purse', phone_number: null };
    const shown = [paid('A', odd), paid('B', { ...odd, ...changes })];
    expect(results([aWallet(), aTill()], shown)).toMatchObject({
      outcomes: [known('open'), known('open')],
      isUnmatched: true,
    });
  });

  describe('of equal destinations', () => {
    const EQUAL = [aWallet(), aWallet('100.00')];

    it('are assigned to the destinations by their count', () => {
      expect(statesOf(results(EQUAL, [cancelled(), paid('A')]))).toEqual(['paid', 'failed']);
      expect(statesOf(results(EQUAL, [paid('A')]))).toEqual(['paid', 'open']);
    });

    it('are given in one order of references, whatever order the platform has', () => {
      const one = results(EQUAL, [paid('A'), paid('B')]);
      expect(results(EQUAL, [paid('B'), paid('A')])).toEqual(one);
    });

    it('leave a destination failed that has failed, when the other one is paid later', () => {
      const before = [known('failed'), known('open')];
      expect(statesOf(results(EQUAL, [cancelled(), paid('A')], {}, before))).toEqual([
        'failed',
        'paid',
      ]);
    });

    it('stay with the destination that has their reference', () => {
      const before = [known('paid', 'B'), known('open')];
      expect(results(EQUAL, [paid('A'), paid('B')], {}, before).outcomes).toEqual([
        known('paid', 'B'),
        known('paid', 'A'),
      ]);
    });

    it('contradict the failure of one when both are paid', () => {
      const before = [known('failed'), known('open')];
      expect(statesOf(results(EQUAL, [paid('A'), paid('B')], {}, before))).toEqual([
        'paid',
        'paid',
      ]);
    });
  });

  it.each([
    ['of the transfer', [paid('A', { errors: ['no'] })], {}],
    ['of the request', [paid('A')], { errors: 'no' }],
    [
      'of the batch',
      null,
      {
        transfer_batches: [{ status: 'Transferred', errors: ['no'], disbursements: [paid('A')] }],
      },
    ],
  ])('contradict themselves when they are transferred and have errors %s', (_, shown, changes) => {
    const { contradiction } = results([aWallet()], shown, changes);
    expect(contradiction).toMatch(/Transferred|transferred.*no/);
    expect(contradiction).toContain('no');
  });

  it('contradict themselves when a transfer is in a batch that was cancelled', () => {
    const batches = [{ status: 'Cancelled', disbursements: [paid('A')] }];
    expect(results([aWallet()], null, { transfer_batches: batches }).contradiction).toContain(
      'Cancelled',
    );
  });

  it('do not contradict themselves when the request has errors because one of two was cancelled', () => {
    const shown = [paid('A'), cancelled({ phone_number: '254700000002' })];
    const found = results([aWallet(), aWallet('100', OTHER)], shown, { errors: ['one failed'] });
    expect(found.contradiction).toBeNull();
  });

  it.each(['Processed', 'Pending', 'Scheduled', 'transferred', 'Settled', null])(
    'are not final with the status %s',
    (status) => {
      expect(statesOf(results([aWallet()], [aDisbursement(status)]))).toEqual(['open']);
    },
  );

  it('name the words that are unknown, of the request and of its transfers', () => {
    const shown = [aDisbursement('Settled'), aDisbursement('Pending')];
    const { unknownStatuses } = results([aWallet(), aTill()], shown, { status: 'Ready' });
    expect(unknownStatuses).toEqual(['Ready', 'Settled']);
  });
});
