import { afterEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { CircuitOpenError } from '../platform.errors.js';
import { StoreUnavailableError } from '../payments.errors.js';
import { anomaliesIn, applied, aPendingPayment, aSuccess } from '../testing/ledger.fixture.js';
import { aReversal, asked, MoneyOut, THE_OTHER, toTheOther } from '../testing/money-out.fixture.js';
import { aDisbursement, aSendMoney, aWallet } from '../testing/payouts.fixture.js';
import type { PayoutOptions } from '../accounts/payments.settings.js';

Logger.overrideLogger(false);

describe('after contradictions and decisions,', () => {
  let money: MoneyOut;

  const setUp = (options?: PayoutOptions): MoneyOut => (money = new MoneyOut(options));

  afterEach(() => money.close());

  it('a person cannot fail the second destination that the platform shows as paid', async () => {
    const { payouts } = setUp();
    const { id } = await payouts.request(asked('three', aWallet(), THE_OTHER, aWallet('300')));
    const paid = [
      aDisbursement('Transferred', { transaction_reference: 'A' }),
      toTheOther('Transferred', { transaction_reference: 'B' }),
    ];
    await money.shows(id, paid);
    await money.noEvidence(id);
    await expect(
      payouts.resolve(id, { state: 'partially_succeeded', paid: [0], by: 'peter', note: 'x' }),
    ).rejects.toMatchObject({ code: 'PAYMENTS_NOT_RESOLVABLE' });
  });

  it.each([
    ['errors', { errors: 'Not credited' }, {}],
    ['another currency', {}, { currency: 'UGX' }],
  ])(
    'a transfer that a person denied, because it came with %s, opens its payout again when it comes without, and once',
    async (_, disbursement, more) => {
      const { payouts } = setUp();
      const { id } = await payouts.request(asked('one'));
      const transferred = { transaction_reference: 'A' };
      const first = aDisbursement('Transferred', { ...transferred, ...disbursement });
      await money.shows(id, [first], 'callback', more);
      await payouts.resolve(id, { state: 'failed', by: 'peter', note: 'not on the statement' });
      await money.shows(id, [first], 'status', more);
      expect(await payouts.find(id)).toMatchObject({ state: 'failed' });
      for (let n = 0; n < 2; n += 1)
        await money.shows(id, [aDisbursement('Transferred', transferred)], 'status');
      expect(await payouts.find(id)).toMatchObject({
        state: 'needs_review',
        cause: 'paid_after_failure',
      });
      const names = (await money.store.events.list('default', id)).map(({ name }) => name);
      expect(names).toEqual(['payout.needs_review', 'payout.failed', 'payout.needs_review']);
    },
  );

  describe('a person who is back after an outage', () => {
    const FAILED = { state: 'failed', by: 'peter', note: 'after the outage' } as const;
    const TRANSFERRED = [aDisbursement('Transferred', { transaction_reference: 'A' })];
    const TRANSFER = { status: 'Transferred', amount: '100.0', transaction_reference: 'B' };
    const refundOf = (key: string) =>
      money.refunds.request({
        idempotencyKey: key,
        reference: 'ONE',
        tillNumber: '514459',
        why: 'late',
      });

    it.each(['when it is decided alone', 'when many are decided'])(
      'does not deny a payout that the platform shows as paid by then, %s',
      async (how) => {
        const { payouts, sent } = setUp();
        const { id } = await payouts.request(asked('one'));
        await money.noEvidence(id);
        money.shown.set('platform-1', aSendMoney(TRANSFERRED));
        if (how === 'when it is decided alone')
          await expect(payouts.resolve(id, FAILED)).rejects.toThrow('succeeded');
        else
          expect(await money.reviews.resolve({}, { ...FAILED, count: 1 })).toEqual({
            decided: [],
            refused: [{ id, why: expect.stringContaining('succeeded') }],
          });
        expect(await payouts.find(id)).toMatchObject({ state: 'succeeded' });
        expect(sent).toHaveLength(1);
      },
    );

    it('does not deny a refund that the platform shows as sent back by then', async () => {
      const { refunds, sent } = setUp();
      await money.receives();
      const { id } = await refundOf('one');
      await money.noEvidence(id);
      money.shown.set('platform-1', aReversal({ reversal_bulk_payment: TRANSFER }));
      await expect(refunds.resolve(id, FAILED)).rejects.toThrow('succeeded');
      await expect(refundOf('two')).rejects.toMatchObject({ code: 'PAYMENTS_NOT_REFUNDABLE' });
      expect(sent).toHaveLength(1);
    });

    it('decides nothing of what cannot be read, and the others', async () => {
      const { payouts } = setUp();
      const { id: unread } = await payouts.request(asked('one'));
      const { id: read } = await payouts.request(asked('two', THE_OTHER));
      for (const id of [unread, read]) await money.noEvidence(id);
      money.shown.set('platform-1', new CircuitOpenError(1_000));
      await expect(payouts.resolve(unread, FAILED)).rejects.toThrow(CircuitOpenError);
      const { decided, refused } = await money.reviews.resolve({}, { ...FAILED, count: 2 });
      expect(decided).toEqual([read]);
      expect(refused).toMatchObject([{ id: unread }]);
      expect(await payouts.find(unread)).toMatchObject({ state: 'needs_review' });
    });

    it('learns of a payout or refund that was failed and is paid later: it is read again', async () => {
      const { payouts, refunds } = setUp();
      await money.receives();
      const { id } = await payouts.request(asked('one', aWallet(), THE_OTHER));
      const refund = await refundOf('refund');
      for (const each of [id, refund.id]) await money.noEvidence(each);
      await payouts.resolve(id, { ...FAILED, state: 'partially_succeeded', paid: [1] });
      await refunds.resolve(refund.id, FAILED);
      const { id: failed } = await payouts.request(asked('other', aWallet('300')));
      await money.noEvidence(failed);
      await payouts.resolve(failed, FAILED);
      for (const each of [id, refund.id, failed])
        expect(await money.store.operations.dueAt('default', each)).not.toBeNull();
    });

    it('needs to decide nothing on a refund whose amount can be read by then', async () => {
      const { refunds } = setUp();
      await money.receives();
      const { id } = await refundOf('one');
      const shows = (amount: string) =>
        money.showsRefund(id, { reversal_bulk_payment: { ...TRANSFER, amount } });
      await shows('100,0');
      expect(await refunds.find(id)).toMatchObject({ cause: 'unreadable_amount' });
      await shows('100.0');
      expect(await refunds.find(id)).toMatchObject({ state: 'succeeded' });
    });
  });

  it('a contradiction during no_evidence waits for a person, as it does before', async () => {
    const states: unknown[] = [];
    for (const isLate of [false, true]) {
      const { payouts, sent } = setUp();
      const { id } = await payouts.request(asked('one'));
      if (isLate) await money.noEvidence(id);
      await money.shows(id, [aDisbursement('Transferred', { errors: 'maybe' })]);
      for (let n = 0; n < 2; n += 1) await money.shows(id, [aDisbursement('Cancelled')], 'status');
      states.push((await payouts.find(id))?.state);
      // The same money must not leave under another key.
      await payouts.request(asked('two')).catch(() => null);
      states.push(sent.length);
    }
    expect(states).toEqual(['needs_review', 1, 'needs_review', 1]);
  });

  it('a contradiction about a refund during no_evidence waits for a person', async () => {
    const { refunds } = setUp();
    await money.receives();
    const of = (key: string) =>
      refunds.request({ idempotencyKey: key, reference: 'ONE', tillNumber: '514459', why: 'x' });
    const { id } = await of('k');
    await money.noEvidence(id);
    const shows = (transfer: object, via: 'callback' | 'status') =>
      money.showsRefund(id, { status: 'Processed', reversal_bulk_payment: transfer }, { via });
    // Half of it went back: a person must look.
    await shows({ status: 'Transferred', amount: '50.0' }, 'callback');
    await shows({ status: 'Cancelled', amount: '100.0' }, 'status');
    await shows({ status: 'Cancelled', amount: '100.0' }, 'status');
    expect(await refunds.find(id)).toMatchObject({ state: 'needs_review' });
    await expect(of('other')).rejects.toMatchObject({ refundId: id });
  });

  it('a person who reviews a contradiction during no_evidence sees which destinations were paid', async () => {
    const { payouts } = setUp();
    const { id } = await payouts.request(asked('two', aWallet(), THE_OTHER));
    await money.noEvidence(id);
    const after = await money.shows(
      id,
      [
        aDisbursement('Transferred', { transaction_reference: 'A' }),
        toTheOther('Transferred', { errors: 'maybe' }),
      ],
      'callback',
    );
    expect(after?.destinations[0]).toMatchObject({ state: 'paid', transactionReference: 'A' });
  });

  it('retention hides no transfer after a failure of one destination', async () => {
    const states: unknown[] = [];
    for (const others of [[], [THE_OTHER]]) {
      const { payouts } = setUp();
      const { id } = await payouts.request(asked('k', aWallet(), ...others));
      const second = others.map(() => toTheOther('Transferred', { transaction_reference: 'B' }));
      for (let n = 0; n < 2; n += 1)
        await money.shows(id, [aDisbursement('Cancelled'), ...second], 'status');
      await money.redactAfter(8);
      await money.shows(
        id,
        [aDisbursement('Transferred', { transaction_reference: 'A' }), ...second],
        'callback',
      );
      states.push((await payouts.find(id))?.state);
    }
    expect(states).toEqual(['needs_review', 'needs_review']);
  });

  it('a second transfer to a destination after the payout succeeded asks a person', async () => {
    const { payouts, store } = setUp();
    const { id } = await payouts.request(asked('one'));
    await money.shows(id, [aDisbursement('Transferred', { transaction_reference: 'A' })]);
    await money.shows(id, [aDisbursement('Transferred', { transaction_reference: 'B' })]);
    const events = (await store.events.list('default', id)).map(({ name }) => name);
    expect(events).toEqual(['payout.succeeded', 'payout.needs_review']);
  });

  it('the store in memory redacts an operation again that changed after its redaction', async () => {
    const { under } = setUp();
    const payment = await aPendingPayment(under, 'pay-1');
    await under.ledger.change({ account: 'default', id: payment.id }, () => ({
      via: 'status',
      set: { state: 'failed', reason: 'unknown' },
    }));
    await money.redactAfter(32);
    const key = { account: 'default', id: payment.id };
    await applied(under, key, aSuccess('pay-1', money.transaction()), 'callback');
    expect((await under.ledger.find(key)).state).toBe('needs_review');
    await under.ledger.change(key, () => ({ via: 'review', set: { state: 'succeeded' } }));
    await money.redactAfter(32);
    expect(JSON.stringify(await under.ledger.find(key))).not.toContain('254700000001');
  });

  it('what the platform says for the first time after a decision is written in the history', async () => {
    const { payouts, store } = setUp();
    const { id } = await payouts.request(asked('one'));
    await money.noEvidence(id);
    await payouts.resolve(id, { state: 'succeeded', by: 'peter', note: 'the statement' });
    // The person erred: the platform cancelled it, and nobody was paid.
    for (let n = 0; n < 2; n += 1) await money.shows(id, [aDisbursement('Cancelled')]);
    expect(await anomaliesIn(store)).toHaveLength(1);
  });

  it('a cancelled transfer that a person took for paid beside a failed one asks a person', async () => {
    const { payouts } = setUp();
    const { id } = await payouts.request(asked('two', aWallet(), THE_OTHER));
    await money.noEvidence(id);
    await payouts.resolve(id, { state: 'partially_succeeded', paid: [0], by: 'peter', note: 'x' });
    const after = await money.shows(id, [aDisbursement('Cancelled'), toTheOther('Cancelled')]);
    expect([after?.state, (await anomaliesIn(money.store)).length]).not.toEqual([
      'partially_succeeded',
      0,
    ]);
  });

  it('a result that comes during a review is there for whoever decides, and is written once', async () => {
    const { payouts, store } = setUp();
    const { id } = await payouts.request(asked('k', aWallet(), { ...THE_OTHER, amount: '50' }));
    const doubtful = aDisbursement('Transferred', { errors: 'Not credited' });
    const paid = toTheOther('Transferred', { amount: '50' });
    await money.shows(id, [doubtful]);
    const seen = await money.shows(id, [doubtful, paid]);
    expect(seen).toMatchObject({ state: 'needs_review', destinations: [{}, { state: 'paid' }] });
    const { version } = (await store.operations.find('default', id))!;
    await money.shows(id, [doubtful, paid]);
    expect((await store.operations.find('default', id))!.version).toBe(version);
  });

  it.each([
    ['without a name', 'by', { note: 'the statement' }],
    ['with an empty name', 'by', { by: ' ', note: 'the statement' }],
    ['without a reason', 'note', { by: 'jane' }],
  ])('a decision %s is refused, and changes nothing', async (_, field, decision) => {
    const { payouts } = setUp();
    const { id } = await payouts.request(asked('k'));
    await money.shows(id, [aDisbursement('Transferred', { errors: 'Not credited' })]);
    await expect(
      payouts.resolve(id, { state: 'failed', ...decision } as never),
    ).rejects.toMatchObject({ problems: [{ field }] });
    expect(await payouts.find(id)).toMatchObject({ state: 'needs_review' });
  });

  it('an approval whose answer is lost says that the payout may be sent', async () => {
    const { payouts, store, sent } = setUp({ limits: { KES: { approveFrom: '100' } } });
    const { id } = await payouts.request(asked('k'));
    const { commit } = store.ledger;
    store.ledger.commit = async (changes) => {
      store.ledger.commit = commit;
      await commit.call(store.ledger, changes);
      throw new StoreUnavailableError('the answer was lost');
    };
    const lost = payouts.approve(id, { by: 'peter' });
    await expect(lost).rejects.toThrow(
      /is approved\. It may be sent\. Call approve\(\) again: it is sent once\.$/,
    );
    expect(await payouts.approve(id, { by: 'peter' })).toMatchObject({ state: 'pending' });
    expect(sent).toHaveLength(1);
  });
});
