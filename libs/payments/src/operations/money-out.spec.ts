import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { RefundRecord } from './refunds/refund.js';
import type { PayoutRecord } from './payouts/payout.js';
import { PayoutsService } from './payouts/payouts.service.js';
import { resultsOf } from './payouts/payout-results.js';
import { RefundsService } from './refunds/refunds.service.js';
import { readEnvelope } from '../platform/envelope.reader.js';
import { sendingWindow } from '../tills/match-window.js';
import { phoneHash } from '../money/phone-number.js';
import { MemoryStore } from '../store/memory/memory.store.js';
import {
  aLedger,
  aPendingLink,
  anObservedTransaction,
  applied,
  aPendingPayment,
  aSuccess,
  aTransaction,
  resourcesWith,
  type LedgerUnderTest,
} from '../testing/ledger.fixture.js';
import { MovedRuntime } from '../testing/moved.runtime.js';
import { READY, partsOf } from '../testing/operation-parts.fixture.js';
import { aDisbursement, aPayoutRecord, aSendMoney, aWallet } from '../testing/payouts.fixture.js';

Logger.overrideLogger(false);

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const OTHER = '+254700000002';

describe('with money out,', () => {
  let runtime: MovedRuntime;
  let store: MemoryStore;
  let under: LedgerUnderTest;
  let sent: unknown[];
  let payouts: PayoutsService;
  let refunds: RefundsService;

  const setUp = (limits?: object, answer?: () => Promise<unknown>): void => {
    const post = async (request: unknown) => {
      sent.push(request);
      return answer ? answer() : { kind: 'created', id: `platform-${sent.length}` };
    };
    const resources = resourcesWith({ ...READY, sendMoney: { post }, reversals: { post } });
    under = aLedger(store, { payouts: limits ? { limits } : {} } as never, runtime, resources);
    payouts = new PayoutsService(...partsOf<PayoutRecord>(under, runtime, resources), {
      current: under.settings,
    });
    const parts = partsOf<RefundRecord>(under, runtime, resources);
    refunds = new RefundsService(
      ...parts,
      { current: under.settings },
      store.transactions,
      under.clocks,
    );
  };

  beforeEach(() => {
    runtime = new MovedRuntime();
    store = new MemoryStore(() => runtime.now());
    sent = [];
  });
  afterEach(() => under.shutdown.close());

  const asked = (key: string, amount: string, phone = '+254700000001') => ({
    idempotencyKey: key,
    currency: 'KES',
    destinations: [aWallet(amount, phone)] as never,
    requestedBy: 'jane',
  });

  it('payouts that wait for approval count for the limit of a day, however old they are', async () => {
    setUp({ KES: { perDay: '1500', approveFrom: '500' } });
    const { id } = await payouts.request(asked('monday', '1490'));
    runtime.advance(25 * HOUR);
    await expect(payouts.request(asked('tuesday', '1491'))).rejects.toMatchObject({
      code: 'PAYMENTS_LIMIT_EXCEEDED',
    });
    await payouts.approve(id, { by: 'peter' });
    runtime.advance(23 * HOUR);
    await expect(payouts.request(asked('wednesday', '11'))).rejects.toMatchObject({
      code: 'PAYMENTS_LIMIT_EXCEEDED',
    });
    runtime.advance(2 * HOUR);
    expect(await payouts.request(asked('thursday', '11'))).toMatchObject({ state: 'pending' });
    expect(sent).toHaveLength(2);
  });

  it('a payout that nobody approved is not sent when the clock steps back', async () => {
    setUp({ KES: { approveFrom: '500' } });
    const first = await payouts.request(asked('invoice', '900'));
    expect(first).toMatchObject({ state: 'created', awaitsApproval: true });
    runtime.advance(-2_000); // NTP corrects the clock of the machine, or a standby with another clock takes over
    await payouts.request(asked('invoice', '900'));
    expect(sent).toEqual([]);
  });

  it('money whose refund a person confirmed is not refunded again after redaction', async () => {
    setUp();
    const money = aTransaction({ originationTime: new Date(runtime.now()).toISOString() });
    await under.tills.observe(anObservedTransaction(money));
    const of = (key: string) =>
      refunds.request({ idempotencyKey: key, reference: 'ONE', tillNumber: '514459', why: 'x' });
    const { id } = await of('key');
    await under.ledger.review({ account: 'default', id }, 'no_evidence', 'late');
    await refunds.resolve(id, { state: 'succeeded', by: 'peter', note: 'the statement' });
    runtime.advance(8 * DAY);
    await store.retention.apply('default', {
      personalDataMs: 7 * DAY,
      dedupeForMs: 1_000 * DAY,
      pendingRedactedAfterMs: 30 * DAY,
      limit: 100,
    } as never);
    expect(await refunds.find(id)).toMatchObject({ state: 'succeeded', why: '' });
    await expect(of('other')).rejects.toMatchObject({ refundId: id });
    expect(sent).toHaveLength(1);
  });

  it('open links do not keep its own money from a payment', async () => {
    setUp();
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
    const results = resultsOf(aPayoutRecord([aWallet(), aWallet('100', OTHER)]), aSendMoney(shown));
    expect(results.isUnmatched).toBe(true);
    expect(results.outcomes[1]).not.toMatchObject({ state: 'paid' });
  });

  it('the names of who asked and who approved do not stay after retention', async () => {
    setUp({ KES: { approveFrom: '500' } });
    const { id } = await payouts.request(asked('invoice', '900'));
    await payouts.approve(id, { by: 'Peter Otieno' });
    const record = await store.operations.find('default', id);
    const shown = aSendMoney([aDisbursement('Transferred', { amount: '900' })], {});
    await under.evidence.apply(
      record as never,
      { platformId: 'platform-1', callbackUrl: null, transaction: null, content: shown },
      'callback',
    );
    expect(await payouts.find(id)).toMatchObject({ state: 'succeeded' });
    runtime.advance(91 * DAY);
    await store.retention.apply('default', {
      personalDataMs: 90 * DAY,
      dedupeForMs: 1_000 * DAY,
      pendingRedactedAfterMs: 30 * DAY,
      limit: 100,
    } as never);
    const after = await payouts.find(id);
    expect(after?.destinations[0]?.recipient).toBeNull();
    expect(JSON.stringify(after)).not.toMatch(/Peter|jane/);
  });

  it('the result of another reversal does not reverse the payment of a refund', async () => {
    setUp();
    const money = aTransaction({ originationTime: new Date(runtime.now()).toISOString() });
    const { id: paymentId } = await aPendingPayment(under, 'pay-1');
    await applied(under, { account: 'default', id: paymentId }, aSuccess('pay-1', money), 'status');
    const { id } = await refunds.request({ idempotencyKey: 'k', paymentId, why: 'x' });
    const refund = await under.ledger.find({ account: 'default', id });
    expect(refund.platformId).toBe('platform-1');
    const attributes = {
      status: 'Processed',
      reversal_bulk_payment: { status: 'Transferred', amount: '100.0' },
    };
    const data = { id: 'of-another', type: 'reversal', attributes };
    // As the callback found it: before the answer to the create gave it its id.
    const asFound = { ...refund, platformId: null };
    const shown = under.kinds.of(refund).show(readEnvelope({ data })!);
    await under.evidence.apply(asFound, shown, 'callback');
    expect(await refunds.find(id)).toMatchObject({ state: 'pending' });
    expect(await under.ledger.find({ account: 'default', id: paymentId })).toMatchObject({
      state: 'succeeded',
    });
  });

  it('a person cannot fail a payout that the platform shows as paid', async () => {
    setUp();
    const { id } = await payouts.request({
      idempotencyKey: 'two',
      currency: 'KES',
      destinations: [aWallet(), aWallet('200', OTHER)],
    });
    const record = await store.operations.find('default', id);
    const shown = aSendMoney([aDisbursement('Transferred', { transaction_reference: 'A' })]);
    await under.evidence.apply(
      record as never,
      { platformId: 'platform-1', callbackUrl: null, transaction: null, content: shown },
      'callback',
    );
    await under.ledger.review({ account: 'default', id }, 'no_evidence', 'late');
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
    setUp();
    const { id } = await payouts.request(asked('one', '100'));
    const record = await store.operations.find('default', id);
    const shown = aSendMoney([aDisbursement('Transferred')]);
    await under.evidence.apply(
      record as never,
      { platformId: 'platform-1', callbackUrl: null, transaction: null, content: shown },
      'callback',
    );
    const error: Error = await refunds
      .request({ idempotencyKey: 'r', paymentId: id, why: 'x' })
      .then(
        () => new Error('refunded'),
        (refusal: Error) => refusal,
      );
    expect(error.message).not.toContain('it is succeeded: only a payment that succeeded can be');
  });

  it('the same contradiction emits one event, also when its text has two lines', async () => {
    setUp();
    const { id } = await payouts.request(asked('one', '100'));
    const apply = async (errors: string, more = {}) => {
      const record = await store.operations.find('default', id);
      const shown = aSendMoney([aDisbursement('Transferred', { errors })], more);
      await under.evidence.apply(
        record as never,
        { platformId: 'platform-1', callbackUrl: null, transaction: null, content: shown },
        'callback',
      );
    };
    await under.ledger.review({ account: 'default', id }, 'no_evidence', 'late');
    await payouts.resolve(id, { state: 'failed', by: 'peter', note: 'the statement' });
    const events = async () =>
      (await store.events.list('default', id)).filter(({ name }) => name === 'payout.needs_review');
    const before = (await events()).length;
    await apply('the bank says:\nmaybe');
    await apply('the bank says:\nmaybe');
    await apply('the bank says:\nmaybe');
    expect((await events()).length - before).toBe(1);
  });

  it('a refund in review is read again when a callback names its platform id', async () => {
    const error = new Error('no answer');
    setUp(undefined, async () => ({ kind: 'unknown', error }));
    const money = aTransaction({ originationTime: new Date(runtime.now()).toISOString() });
    await under.tills.observe(anObservedTransaction(money));
    const request = { idempotencyKey: 'k', reference: 'ONE', tillNumber: '514459', why: 'x' };
    const { id } = await refunds.request(request);
    await under.ledger.review({ account: 'default', id }, 'no_evidence', 'late');
    const refund = await under.ledger.find({ account: 'default', id });
    // Without an id it cannot be read, so nothing is due.
    await store.operations.schedule(refund, { inMs: null });
    const data = { id: 'platform-1', type: 'reversal', attributes: { status: 'Being_Processed' } };
    const shown = under.kinds.of(refund).show(readEnvelope({ data })!);
    await under.evidence.apply(refund, shown, 'callback');
    runtime.advance(60_000);
    const times = { limit: 10, leaseMs: 1_000, sendLeaseMs: 1_000 };
    const due = await store.operations.claimDue(['default'], { followed: true, ...times });
    expect(due).toMatchObject([{ id, platformId: 'platform-1' }]);
  });
});
