import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { RefundRecord } from './refunds/refund.js';
import type { PayoutRecord } from './payouts/payout.js';
import { StoreUnavailableError } from '../payments.errors.js';
import { PayoutsService } from './payouts/payouts.service.js';
import { RefundsService } from './refunds/refunds.service.js';
import { readEnvelope } from '../platform/envelope.reader.js';
import { MemoryStore } from '../store/memory/memory.store.js';
import {
  aLedger,
  anomaliesIn,
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
import { aDisbursement, aSendMoney, aWallet } from '../testing/payouts.fixture.js';

Logger.overrideLogger(false);

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const OTHER = '+254700000002';

describe('after contradictions and decisions,', () => {
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

  const shownTo = async (
    id: string,
    disbursements: unknown[],
    via: 'callback' | 'status',
    more = {},
  ) => {
    const record = await store.operations.find('default', id);
    const content = aSendMoney(disbursements as never, more);
    await under.evidence.apply(
      record as never,
      { platformId: 'platform-1', callbackUrl: null, transaction: null, content },
      via,
    );
    return payouts.find(id);
  };

  it('a person cannot fail the second destination that the platform shows as paid', async () => {
    setUp();
    const { id } = await payouts.request({
      idempotencyKey: 'three',
      currency: 'KES',
      destinations: [aWallet(), aWallet('200', OTHER), aWallet('300')] as never,
    });
    const paid = [
      aDisbursement('Transferred', { transaction_reference: 'A' }),
      aDisbursement('Transferred', {
        amount: '200.0',
        phone_number: '254700000002',
        transaction_reference: 'B',
      }),
    ];
    await shownTo(id, paid, 'callback');
    await under.ledger.review({ account: 'default', id }, 'no_evidence', 'late');
    await expect(
      payouts.resolve(id, { state: 'partially_succeeded', paid: [0], by: 'peter', note: 'x' }),
    ).rejects.toMatchObject({ code: 'PAYMENTS_NOT_RESOLVABLE' });
  });

  it('a contradiction during no_evidence waits for a person, as it does before', async () => {
    setUp();
    const states: unknown[] = [];
    for (const isLate of [false, true]) {
      sent = [];
      store = new MemoryStore(() => runtime.now());
      setUp();
      const { id } = await payouts.request(asked('one', '100'));
      if (isLate) await under.ledger.review({ account: 'default', id }, 'no_evidence', 'late');
      await shownTo(id, [aDisbursement('Transferred', { errors: 'maybe' })], 'callback');
      for (let n = 0; n < 2; n += 1) await shownTo(id, [aDisbursement('Cancelled')], 'status');
      states.push((await payouts.find(id))?.state);
      // The same money must not leave under another key.
      await payouts.request(asked('two', '100')).catch(() => null);
      states.push(sent.length);
    }
    expect(states).toEqual(['needs_review', 1, 'needs_review', 1]);
  });

  it('a contradiction about a refund during no_evidence waits for a person', async () => {
    setUp();
    const money = aTransaction({ originationTime: new Date(runtime.now()).toISOString() });
    await under.tills.observe(anObservedTransaction(money));
    const of = (key: string) =>
      refunds.request({ idempotencyKey: key, reference: 'ONE', tillNumber: '514459', why: 'x' });
    const { id } = await of('k');
    await under.ledger.review({ account: 'default', id }, 'no_evidence', 'late');
    const apply = async (transfer: object, via: 'callback' | 'status') => {
      const refund = await under.ledger.find({ account: 'default', id });
      const attributes = { status: 'Processed', reversal_bulk_payment: transfer };
      const data = { id: 'platform-1', type: 'reversal', attributes };
      await under.evidence.apply(refund, under.kinds.of(refund).show(readEnvelope({ data })!), via);
    };
    // Half of it went back: a person must look.
    await apply({ status: 'Transferred', amount: '50.0' }, 'callback');
    await apply({ status: 'Cancelled', amount: '100.0' }, 'status');
    await apply({ status: 'Cancelled', amount: '100.0' }, 'status');
    expect(await refunds.find(id)).toMatchObject({ state: 'needs_review' });
    await expect(of('other')).rejects.toMatchObject({ refundId: id });
  });

  it('a person who reviews a contradiction during no_evidence sees which destinations were paid', async () => {
    setUp();
    const { id } = await payouts.request({
      idempotencyKey: 'two',
      currency: 'KES',
      destinations: [aWallet(), aWallet('200', OTHER)] as never,
    });
    await under.ledger.review({ account: 'default', id }, 'no_evidence', 'late');
    const after = await shownTo(
      id,
      [
        aDisbursement('Transferred', { transaction_reference: 'A' }),
        aDisbursement('Transferred', {
          amount: '200.0',
          phone_number: '254700000002',
          errors: 'maybe',
        }),
      ],
      'callback',
    );
    expect(after?.destinations[0]).toMatchObject({ state: 'paid', transactionReference: 'A' });
  });

  it('retention hides no transfer after a failure of one destination', async () => {
    setUp();
    const states: unknown[] = [];
    for (const others of [[], [aWallet('200', OTHER)]]) {
      store = new MemoryStore(() => runtime.now());
      sent = [];
      setUp();
      const { id } = await payouts.request({
        idempotencyKey: 'k',
        currency: 'KES',
        destinations: [aWallet(), ...others] as never,
      });
      const second = others.map(() =>
        aDisbursement('Transferred', {
          amount: '200.0',
          phone_number: '254700000002',
          transaction_reference: 'B',
        }),
      );
      for (let n = 0; n < 2; n += 1)
        await shownTo(id, [aDisbursement('Cancelled'), ...second], 'status');
      runtime.advance(8 * DAY);
      await store.retention.apply('default', {
        personalDataMs: 7 * DAY,
        dedupeForMs: 1_000 * DAY,
        pendingRedactedAfterMs: 30 * DAY,
        limit: 100,
      } as never);
      await shownTo(
        id,
        [aDisbursement('Transferred', { transaction_reference: 'A' }), ...second],
        'callback',
      );
      states.push((await payouts.find(id))?.state);
    }
    expect(states).toEqual(['needs_review', 'needs_review']);
  });

  it('a second transfer to a destination after the payout succeeded asks a person', async () => {
    setUp();
    const { id } = await payouts.request(asked('one', '100'));
    await shownTo(id, [aDisbursement('Transferred', { transaction_reference: 'A' })], 'callback');
    await shownTo(id, [aDisbursement('Transferred', { transaction_reference: 'B' })], 'callback');
    const events = (await store.events.list('default', id)).map(({ name }) => name);
    expect(events).toEqual(['payout.succeeded', 'payout.needs_review']);
  });

  it('the store in memory redacts an operation again that changed after its redaction', async () => {
    setUp();
    const retention = {
      personalDataMs: 7 * DAY,
      dedupeForMs: 1_000 * DAY,
      pendingRedactedAfterMs: 30 * DAY,
      limit: 100,
    } as never;
    const payment = await aPendingPayment(under, 'pay-1');
    await under.ledger.change({ account: 'default', id: payment.id }, () => ({
      via: 'status',
      set: { state: 'failed', reason: 'unknown' },
    }));
    runtime.advance(32 * DAY);
    await store.retention.apply('default', retention);
    const money = aTransaction({ originationTime: new Date(runtime.now()).toISOString() });
    const key = { account: 'default', id: payment.id };
    await applied(under, key, aSuccess('pay-1', money), 'callback');
    expect((await under.ledger.find(key)).state).toBe('needs_review');
    await under.ledger.change(key, () => ({ via: 'review', set: { state: 'succeeded' } }));
    runtime.advance(32 * DAY);
    await store.retention.apply('default', retention);
    expect(JSON.stringify(await under.ledger.find(key))).not.toContain('254700000001');
  });

  it('what the platform says for the first time after a decision is written in the history', async () => {
    setUp();
    const { id } = await payouts.request(asked('one', '100'));
    await under.ledger.review({ account: 'default', id }, 'no_evidence', 'late');
    await payouts.resolve(id, { state: 'succeeded', by: 'peter', note: 'the statement' });
    // The person erred: the platform cancelled it, and nobody was paid.
    for (let n = 0; n < 2; n += 1) await shownTo(id, [aDisbursement('Cancelled')], 'callback');
    expect(await anomaliesIn(store)).toHaveLength(1);
  });

  it('a cancelled transfer that a person took for paid beside a failed one asks a person', async () => {
    setUp();
    const { id } = await payouts.request({
      idempotencyKey: 'two',
      currency: 'KES',
      destinations: [aWallet(), aWallet('200', OTHER)] as never,
    });
    await under.ledger.review({ account: 'default', id }, 'no_evidence', 'late');
    await payouts.resolve(id, { state: 'partially_succeeded', paid: [0], by: 'peter', note: 'x' });
    const second = aDisbursement('Cancelled', { amount: '200.0', phone_number: '254700000002' });
    await shownTo(id, [aDisbursement('Cancelled'), second], 'callback');
    const after = await payouts.find(id);
    expect([after?.state, (await anomaliesIn(store)).length]).not.toEqual([
      'partially_succeeded',
      0,
    ]);
  });

  it('a result that comes during a review is there for whoever decides, and is written once', async () => {
    setUp();
    const { id } = await payouts.request({
      ...asked('k', '100'),
      destinations: [aWallet('100'), aWallet('50', OTHER)] as never,
    });
    const doubtful = aDisbursement('Transferred', { errors: 'Not credited' });
    const paid = aDisbursement('Transferred', { phone_number: '254700000002', amount: '50' });
    await shownTo(id, [doubtful], 'callback');
    const seen = await shownTo(id, [doubtful, paid], 'callback');
    expect(seen).toMatchObject({ state: 'needs_review', destinations: [{}, { state: 'paid' }] });
    const { version } = (await store.operations.find('default', id))!;
    await shownTo(id, [doubtful, paid], 'callback');
    expect((await store.operations.find('default', id))!.version).toBe(version);
  });

  it.each([
    ['by', { note: 'the statement' }],
    ['by', { by: ' ', note: 'the statement' }],
    ['note', { by: 'jane' }],
  ])('a decision without %s is refused, and changes nothing', async (field, decision) => {
    setUp();
    const { id } = await payouts.request(asked('k', '100'));
    await shownTo(id, [aDisbursement('Transferred', { errors: 'Not credited' })], 'callback');
    await expect(
      payouts.resolve(id, { state: 'failed', ...decision } as never),
    ).rejects.toMatchObject({ problems: [{ field }] });
    expect(await payouts.find(id)).toMatchObject({ state: 'needs_review' });
  });

  it('an approval whose answer is lost says that the payout may be sent', async () => {
    setUp({ KES: { approveFrom: '100' } });
    const { id } = await payouts.request(asked('k', '100'));
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
