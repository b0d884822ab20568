import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { listedDigest } from '../ledger/assessment.js';
import { FAILURE_STANDS_AFTER_MS } from '../ledger/decisions.js';
import type { Operation } from '../store/operation.js';
import { MemoryStore } from '../memory/memory.store.js';
import {
  aLedger,
  anIncomingPayment,
  anObservedTransaction,
  aRequestedPayment,
  aTransaction,
  applied,
  keyOf,
  type LedgerUnderTest,
} from '../testing/ledger.fixture.js';
import {
  aDisbursement,
  aNewPayout,
  aSendMoney,
  aTill,
  aWallet,
} from '../testing/payouts.fixture.js';
import { payoutResolutionChange } from './payouts/payout-decision.js';
import type { PayoutRecord } from './payouts/payout.js';

Logger.overrideLogger(false);

const DECISION = { by: 'ops', note: 'the statement' } as const;

/** The platform may report these about one payment, each in a form of its own. */
const SAID = [
  anIncomingPayment('p', 'Success', aTransaction(), ['A later step failed']),
  anIncomingPayment('p', 'Success', null, ['A later step failed']),
  anIncomingPayment('p', 'Success', aTransaction({ amount: '90' }), []),
  anIncomingPayment('p', 'Success', aTransaction({ amount: '90.00' }), []),
  anIncomingPayment('p', 'Success', aTransaction({ reference: 'TAKEN' }), []),
  anIncomingPayment('p', 'Success', aTransaction({ reference: 'TWO', tillNumber: '999' }), []),
  anIncomingPayment('p', 'Failed', aTransaction(), []),
  anIncomingPayment('p', 'Success', null, []),
  anIncomingPayment('p', 'Failed', null, ['cancelled']),
  anIncomingPayment('p', 'Success', aTransaction({ reference: 'THREE' }), []),
] as const;

describe('A decision of a person', () => {
  let store: MemoryStore;
  let under: LedgerUnderTest;

  beforeEach(() => {
    store = new MemoryStore();
    under = aLedger(store);
  });

  const says = (id: string, index: number): Promise<unknown> =>
    applied(under, keyOf(id), SAID[index]!, index % 2 ? 'status' : 'callback');

  const events = async (id: string): Promise<string[]> =>
    (await store.events.list('default', id)).map(({ name }) => name);

  it('on a payment is not undone by anything that the platform had said before it', async () => {
    const order = fc.array(fc.nat(SAID.length - 1), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(order, order, async (before, after) => {
        store = new MemoryStore();
        under = aLedger(store);
        const other = await aRequestedPayment(under);
        const taken = anIncomingPayment('other', 'Success', aTransaction({ reference: 'TAKEN' }));
        await applied(under, other, taken, 'callback');
        const { id } = await aRequestedPayment(under);
        for (const index of before) await says(id, index);
        const { state, cause } = await under.ledger.find(keyOf(id));
        if (state !== 'needs_review' || cause === 'no_transaction') return;
        const seen = before.slice(before.findIndex((index) => SAID[index]?.status !== 'Failed'));
        await under.ledger.resolve(keyOf(id), { ...DECISION, state: 'failed' });
        const decided = await events(id);
        for (const index of after) if (seen.includes(index)) await says(id, index);
        expect((await under.ledger.find(keyOf(id))).state).toBe('failed');
        expect(await events(id)).toEqual(decided);
      }),
      { numRuns: 400 },
    );
  });

  it('on a payment is undone by complete proof that differs from what it judged, and its event is emitted', async () => {
    const { id } = await aRequestedPayment(under);
    await says(id, 2);
    await under.ledger.resolve(keyOf(id), { ...DECISION, state: 'failed' });
    const proof = anIncomingPayment('p', 'Success', aTransaction(), []);
    await applied(under, keyOf(id), proof, 'status');
    expect(await under.ledger.find(keyOf(id))).toMatchObject({
      state: 'needs_review',
      cause: 'paid_after_failure',
    });
    const emitted = (await events(id)).filter((name) => name === 'payment.needs_review');
    expect(emitted).toHaveLength(2);
    const deny = under.ledger.resolve(keyOf(id), { ...DECISION, state: 'failed' });
    await expect(deny).rejects.toThrow(/shows transaction ONE, and has never said that it failed/);
    await under.ledger.resolve(keyOf(id), { ...DECISION, state: 'succeeded' });
  });

  it.each([
    ['failed', { state: 'failed' }, { state: 'needs_review', cause: 'paid_after_failure' }],
    [
      'succeeded by another transaction',
      { state: 'succeeded', reference: 'TWO' },
      { state: 'succeeded', cause: 'second_transaction' },
    ],
  ] as const)(
    'on a payment that several transactions fit, as %s, is asked for again when its own result comes, because only that says whose money it is',
    async (_, decision, expected) => {
      const { id } = await aRequestedPayment(under);
      await under.ledger.change(keyOf(id), () => ({ via: 'request', set: { state: 'unknown' } }));
      const listed = [aTransaction(), aTransaction({ reference: 'TWO' })];
      for (const each of listed) await under.tills.observe(anObservedTransaction(each));
      await under.ledger.review(keyOf(id), 'ambiguous', 'two fit', listed.map(listedDigest));
      await under.ledger.resolve(keyOf(id), { ...DECISION, ...decision });
      const own = anIncomingPayment('p', 'Success', aTransaction(), []);
      await applied(under, keyOf(id), own, 'callback');
      expect(await under.ledger.find(keyOf(id))).toMatchObject(expected);
      expect((await events(id)).at(-1)).toBe('payment.needs_review');
    },
  );

  it('on a payment whose amount could not be read is not needed when a later report shows all of it', async () => {
    const { id } = await aRequestedPayment(under);
    const report = (amount: string | null) =>
      anIncomingPayment('p', 'Success', aTransaction({ amount }), []);
    await applied(under, keyOf(id), report(null), 'callback');
    expect(await under.ledger.find(keyOf(id))).toMatchObject({ cause: 'unreadable_amount' });
    await applied(under, keyOf(id), anIncomingPayment('p', 'Failed', null, ['late']), 'status');
    expect(await under.ledger.find(keyOf(id))).toMatchObject({ state: 'needs_review' });
    await applied(under, keyOf(id), report('100.0'), 'status');
    expect(await under.ledger.find(keyOf(id))).toMatchObject({ state: 'succeeded', cause: null });
    expect(await events(id)).toEqual(['payment.needs_review', 'payment.succeeded']);
  });

  it('on a payment finds in its history that the platform shows by now what nothing contradicts, once', async () => {
    const { id } = await aRequestedPayment(under);
    await says(id, 0);
    const proof = anIncomingPayment('p', 'Success', aTransaction(), []);
    for (let n = 0; n < 2; n += 1) await applied(under, keyOf(id), proof, 'status');
    const notes = (await store.operations.history('default', id)).map(({ detail }) => detail);
    const said = 'the platform shows transaction ONE, complete and without a contradiction';
    expect(notes.filter((detail) => detail === said)).toHaveLength(1);
  });

  it('on a payment is not undone by a success that names errors and no money', async () => {
    const { id } = await aRequestedPayment(under);
    await says(id, 0);
    await under.ledger.resolve(keyOf(id), { ...DECISION, state: 'failed' });
    await says(id, 1);
    expect((await under.ledger.find(keyOf(id))).state).toBe('failed');
  });

  it('on a payout that says that others were paid too emits its event again', async () => {
    const { id } = aNewPayout();
    const recipients = [aWallet(), aTill(), aTill('100', '000125')];
    await store.operations.record({ ...aNewPayout(recipients), id }, { sendBeforeMs: 60_000 });
    await under.ledger.change(keyOf(id), () => ({
      via: 'request',
      set: { state: 'requested', sentAt: new Date() },
    }));
    under.clocks.clock('default').observe(new Date().toUTCString(), Date.now(), Date.now());
    let reads = 0;
    const shows = async (...disbursements: object[]): Promise<Operation> => {
      const content = aSendMoney(disbursements as never);
      const payout = await under.ledger.find(keyOf(id));
      const shown = { platformId: content.id, callbackUrl: null, transaction: null, content };
      const askedAt = new Date(Date.now() + (reads += 1) * FAILURE_STANDS_AFTER_MS);
      return under.evidence.apply(payout, shown, 'status', { askedAt });
    };
    const tillOf = (tillNumber: string, status: string) =>
      aDisbursement(status, {
        destination_type: 'till',
        phone_number: null,
        till_number: tillNumber,
      });
    const first = [
      aDisbursement('Transferred', { transaction_reference: 'A' }),
      tillOf('000124', 'Cancelled'),
      tillOf('000125', 'Cancelled'),
    ];
    await shows(...first);
    expect(await shows(...first)).toMatchObject({ state: 'partially_succeeded' });
    const { state } = await shows(first[0]!, tillOf('000124', 'Transferred'), first[2]!);
    expect(state).toBe('needs_review');
    await under.ledger.change(keyOf(id), (payout) =>
      payoutResolutionChange(payout as Operation as PayoutRecord, {
        ...DECISION,
        state: 'partially_succeeded',
        paid: [0, 1],
      }),
    );
    const emitted = (await events(id)).filter((name) => name === 'payout.partially-succeeded');
    expect(emitted).toHaveLength(2);
  });
});
