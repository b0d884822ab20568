import { afterEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { phoneHash } from '../money/phone-number.js';
import { aPendingLink, aPendingPayment, keyOf } from '../testing/ledger.fixture.js';
import { asked, HOUR, MoneyOut, THE_OTHER } from '../testing/money-out.fixture.js';
import { aDisbursement, aPayoutRecord, aSendMoney, aWallet } from '../testing/payouts.fixture.js';
import { sendingWindow } from '../tills/match-window.js';
import type { PayoutOptions } from '../accounts/payments.settings.js';
import { resultsOf } from './payouts/payout-results.js';

Logger.overrideLogger(false);

describe('with money out,', () => {
  let money: MoneyOut;

  const setUp = (options?: PayoutOptions): MoneyOut => (money = new MoneyOut(options));

  afterEach(() => money.close());

  it('payouts that wait for approval count for the limit of a day, however old they are', async () => {
    const limits = { KES: { perDay: '1500', approveFrom: '500' } };
    const { payouts, runtime, sent } = setUp({ limits });
    const { id } = await payouts.request(asked('monday', aWallet('1490')));
    runtime.advance(25 * HOUR);
    await expect(payouts.request(asked('tuesday', aWallet('1491')))).rejects.toMatchObject({
      code: 'PAYMENTS_LIMIT_EXCEEDED',
    });
    await payouts.approve(id, { by: 'peter' });
    runtime.advance(23 * HOUR);
    await expect(payouts.request(asked('wednesday', aWallet('11')))).rejects.toMatchObject({
      code: 'PAYMENTS_LIMIT_EXCEEDED',
    });
    runtime.advance(2 * HOUR);
    expect(await payouts.request(asked('thursday', aWallet('11')))).toMatchObject({
      state: 'pending',
    });
    expect(sent).toHaveLength(2);
  });

  it('a payout that nobody approved is not sent when the clock steps back', async () => {
    const { payouts, runtime, sent } = setUp({ limits: { KES: { approveFrom: '500' } } });
    const first = await payouts.request(asked('invoice', aWallet('900')));
    expect(first).toMatchObject({ state: 'created', awaitsApproval: true });
    runtime.advance(-2_000); // NTP corrects the clock of the machine, or a standby with another clock takes over
    await payouts.request(asked('invoice', aWallet('900')));
    expect(sent).toEqual([]);
  });

  it('money whose refund a person confirmed is not refunded again after redaction', async () => {
    const { refunds, sent } = setUp();
    await money.receives();
    const of = (key: string) =>
      refunds.request({ idempotencyKey: key, reference: 'ONE', tillNumber: '514459', why: 'x' });
    const { id } = await of('key');
    await money.noEvidence(id);
    await refunds.resolve(id, { state: 'succeeded', by: 'peter', note: 'the statement' });
    await money.redactAfter(8);
    expect(await refunds.find(id)).toMatchObject({ state: 'succeeded', why: '' });
    await expect(of('other')).rejects.toMatchObject({ refundId: id });
    expect(sent).toHaveLength(1);
  });

  it('open links do not keep its own money from a payment', async () => {
    const { under, runtime, store } = setUp();
    // A hundred links of one price in a week: a link, once shared, stays open for seven days.
    for (let n = 0; n < 100; n += 1) {
      await aPendingLink(under, n);
      runtime.advance(60_000);
    }
    const payment = await aPendingPayment(under, 'p-1');
    runtime.advance(10_000);
    const found = await store.operations.findCandidates('default', {
      currency: 'KES',
      amountMinor: '10000',
      payerHash: phoneHash('+254700000001'),
      ...sendingWindow(new Date(runtime.now())),
    });
    expect(found.map(({ id }) => id)).toContain(payment.id);
  });

  it('one destination that was paid twice does not prove that another one was paid', () => {
    setUp();
    const shown = [
      aDisbursement('Transferred', { transaction_reference: 'A' }),
      aDisbursement('Transferred', { transaction_reference: 'B' }),
    ];
    const results = resultsOf(
      aPayoutRecord([aWallet(), { ...THE_OTHER, amount: '100' }]),
      aSendMoney(shown),
    );
    expect(results.isUnmatched).toBe(true);
    expect(results.outcomes[1]).not.toMatchObject({ state: 'paid' });
  });

  it('the names of who asked and who approved do not stay after retention', async () => {
    const { payouts } = setUp({ limits: { KES: { approveFrom: '500' } } });
    const { id } = await payouts.request(asked('invoice', aWallet('900')));
    await payouts.approve(id, { by: 'Peter Otieno' });
    const paid = await money.shows(id, [aDisbursement('Transferred', { amount: '900' })]);
    expect(paid).toMatchObject({ state: 'succeeded' });
    await money.redactAfter(91, 90);
    const after = await payouts.find(id);
    expect(after?.destinations[0]?.recipient).toBeNull();
    expect(JSON.stringify(after)).not.toMatch(/Peter|jane/);
  });

  it('the result of another reversal does not reverse the payment of a refund', async () => {
    const { under, refunds } = setUp();
    const paymentId = await money.paidPayment();
    const { id } = await refunds.request({ idempotencyKey: 'k', paymentId, why: 'x' });
    expect((await under.ledger.find(keyOf(id))).platformId).toBe('platform-1');
    const attributes = {
      status: 'Processed',
      reversal_bulk_payment: { status: 'Transferred', amount: '100.0' },
    };
    // The callback found the payout like this, before the answer to the create gave it its id.
    const changes = { platformId: null };
    await money.showsRefund(id, attributes, { platformId: 'of-another', changes });
    expect(await refunds.find(id)).toMatchObject({ state: 'pending' });
    expect(await under.ledger.find(keyOf(paymentId))).toMatchObject({ state: 'succeeded' });
  });

  it('a person cannot fail a payout that the platform shows as paid', async () => {
    const { payouts } = setUp();
    const { id } = await payouts.request(asked('two', aWallet(), THE_OTHER));
    await money.shows(id, [aDisbursement('Transferred', { transaction_reference: 'A' })]);
    await money.noEvidence(id);
    // The platform has paid the first one, with a reference. Failed would let it be paid again under another key.
    await expect(
      payouts.resolve(id, { state: 'failed', by: 'peter', note: 'no' }),
    ).rejects.toMatchObject({ code: 'PAYMENTS_NOT_RESOLVABLE' });
  });

  it('results in another currency are no proof', () => {
    setUp();
    const shown = aSendMoney([aDisbursement('Transferred')], { currency: 'UGX' });
    const { contradiction, outcomes } = resultsOf(aPayoutRecord([aWallet()]), shown);
    expect({ contradiction, state: outcomes[0]?.state }).not.toEqual({
      contradiction: null,
      state: 'paid',
    });
  });

  it('a refund of a payout is refused with a text that says why', async () => {
    const { payouts, refunds } = setUp();
    const { id } = await payouts.request(asked('one'));
    await money.shows(id, [aDisbursement('Transferred')]);
    const error: Error = await refunds
      .request({ idempotencyKey: 'r', paymentId: id, why: 'x' })
      .then(
        () => new Error('refunded'),
        (refusal: Error) => refusal,
      );
    expect(error.message).not.toContain('it is succeeded: only a payment that succeeded can be');
  });

  it('the same contradiction emits one event, also when its text has two lines', async () => {
    const { payouts, store } = setUp();
    const { id } = await payouts.request(asked('one'));
    const twoLines = [aDisbursement('Transferred', { errors: 'the bank says:\nmaybe' })];
    await money.noEvidence(id);
    await payouts.resolve(id, { state: 'failed', by: 'peter', note: 'the statement' });
    const events = async () =>
      (await store.events.list('default', id)).filter(({ name }) => name === 'payout.needs_review');
    const before = (await events()).length;
    await money.shows(id, twoLines);
    await money.shows(id, twoLines);
    await money.shows(id, twoLines);
    expect((await events()).length - before).toBe(1);
  });

  it('a refund in review is read again when a callback names its platform id', async () => {
    const { under, refunds, store, runtime } = setUp();
    money.answer = { kind: 'unknown', error: new Error('no answer') as never };
    await money.receives();
    const request = { idempotencyKey: 'k', reference: 'ONE', tillNumber: '514459', why: 'x' };
    const { id } = await refunds.request(request);
    await money.noEvidence(id);
    // Without an id it cannot be read, so nothing is due.
    await store.operations.schedule(await under.ledger.find(keyOf(id)), { inMs: null });
    await money.showsRefund(id, { status: 'Being_Processed' });
    runtime.advance(60_000);
    const times = { limit: 10, leaseMs: 1_000, sendLeaseMs: 1_000 };
    const due = await store.operations.claimDue(['default'], { followed: true, ...times });
    expect(due).toMatchObject([{ id, platformId: 'platform-1' }]);
  });
});
