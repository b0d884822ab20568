import type { Operation } from '../store/operation.js';
import { readEnvelope } from '../platform/wire-value.js';
import { referenceOnly, type Transaction } from '../money/transaction.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { deliveryEvent } from '../inbox/deliveries.service.js';
import { MemoryStore } from '../memory/memory.store.js';
import {
  aLedger,
  applied,
  anIncomingPayment,
  anObservedTransaction,
  anomaliesIn,
  aPendingLink,
  aRequestedPayment,
  aSuccess,
  aTransaction,
  claimCalls,
  listen,
  type LedgerUnderTest,
  keyOf,
} from '../testing/ledger.fixture.js';

Logger.overrideLogger(false);

const ALIASES = { K000123: '514459' };
const DECISION = { state: 'succeeded', by: 'ops', note: 'seen' } as const;

describe('a transaction at a till', () => {
  let store: MemoryStore;
  let under: LedgerUnderTest;
  const gone = aTransaction({ status: 'Reversed' });

  /** The platform shows a payment link with a reference. It does not show the amount that came. */
  const shows = (link: Operation, status: string, reference: string): Promise<unknown> => {
    const attributes = {
      status: 'Processed',
      till_number: '514459',
      currency: 'KES',
      amount: '100.0',
      payment_link: { status, transaction_reference: reference },
    };
    const data = { id: 'pl-1', type: 'payment_link', attributes };
    return under.evidence.apply(
      link as never,
      under.kinds.kind(link).show(readEnvelope({ data })!),
      'status',
    );
  };

  beforeEach(() => {
    store = new MemoryStore();
    under = aLedger(store);
  });

  it.each([
    ['has neither reference nor id', { reference: null, id: null }],
    ['has no till', { tillNumber: null }],
  ])('is not recorded when it %s', async (_, changes) => {
    expect(await under.tills.observe(anObservedTransaction(aTransaction(changes)))).toBe('unnamed');
  });

  it('stays as it was first reported, and another amount in a later report is an anomaly', async () => {
    await under.tills.observe(anObservedTransaction());
    await under.tills.observe(anObservedTransaction(aTransaction({ amount: '999' })));
    const kept = await store.transactions.find('default', 'ONE');
    expect(kept?.sums).toMatchObject([{ received: { amount: '100.0' } }]);
    expect(await anomaliesIn(store)).toEqual(['transaction reported with another amount']);
  });

  it("stays as it was first reported, and another amount in a payment's own callback is an anomaly", async () => {
    await under.tills.observe(anObservedTransaction(aTransaction({ amount: '99' })));
    const { id } = await aRequestedPayment(under);
    const paid = await applied(under, keyOf(id), aSuccess('platform-1'), 'callback');
    expect(paid).toMatchObject({ state: 'needs_review', cause: 'reports_differ' });
    expect((await store.transactions.find('default', 'ONE'))?.sums).toMatchObject([
      { received: { amount: '99' }, paymentId: id },
    ]);
    expect(await anomaliesIn(store)).toEqual(['transaction reported with another amount']);
  });

  it.each([
    ['is marked as announced before when the event of the till came first', true],
    ['is not marked as announced before when the payment was known first', false],
  ])('that a callback shows for a payment %s', async (_, isFirst) => {
    await listen(store, 'payment.succeeded');
    const at = (): Promise<unknown> => under.tills.observe(anObservedTransaction());
    if (isFirst) await at();
    const { id } = await aRequestedPayment(under);
    await applied(under, keyOf(id), aSuccess('platform-1'), 'callback');
    if (!isFirst) await at();
    expect(await claimCalls(store)).toMatchObject([
      { event: 'payment.succeeded', payload: { announcedBefore: isFirst } },
    ]);
  });

  it('is no anomaly when a later report writes the same amount differently', async () => {
    await under.tills.observe(anObservedTransaction(aTransaction({ amount: '100' })));
    await under.tills.observe(anObservedTransaction(aTransaction({ amount: '100.00' })));
    expect(await anomaliesIn(store)).toEqual([]);
  });

  it('is no anomaly when its reversal was reported first, with another amount', async () => {
    const reversal = aTransaction({ amount: '999' });
    await under.tills.observe(anObservedTransaction(reversal, { reversal: true }));
    await under.tills.observe(anObservedTransaction());
    expect(await anomaliesIn(store)).toEqual([]);
  });

  it('is an anomaly when its reversal is reported again with another amount', async () => {
    for (const amount of ['100.0', '999'])
      await under.tills.observe(
        anObservedTransaction(aTransaction({ status: 'Reversed', amount }), { reversal: true }),
      );
    expect(await anomaliesIn(store)).toEqual(['transaction reported with another amount']);
  });

  it('has its own amount, also when a reversal of another amount came first, and is no anomaly when it is repeated', async () => {
    const reversal = aTransaction({ status: 'Reversed', amount: '999' });
    await under.tills.observe(anObservedTransaction(reversal, { reversal: true }));
    await under.tills.observe(anObservedTransaction());
    await under.tills.observe(anObservedTransaction());
    const kept = await store.transactions.find('default', 'ONE');
    expect(kept?.sums).toMatchObject([{ amountMinor: '10000', reversal: { amount: '999' } }]);
    expect(await anomaliesIn(store)).toEqual([]);
  });

  it('is an anomaly when it is reported again in another currency', async () => {
    await under.tills.observe(anObservedTransaction());
    await under.tills.observe(anObservedTransaction(aTransaction({ currency: 'USD' })));
    expect(await anomaliesIn(store)).toEqual(['transaction reported with another amount']);
  });

  it('that is reported at two tills without an alias counts as two, and an anomaly names the missing alias', async () => {
    await under.tills.observe(anObservedTransaction(aTransaction({ tillNumber: 'K000123' })));
    await under.tills.observe(anObservedTransaction());
    const kept = await store.transactions.find('default', 'ONE');
    expect(kept?.sums.map(({ tills }) => tills)).toEqual([['K000123'], ['514459']]);
    expect(await anomaliesIn(store)).toEqual([
      'one reference at two tills: PAYMENTS_TILL_ALIASES=K000123=514459 would join them',
    ]);
  });

  it('emits its event with the amount of the first report whose amount can be read', async () => {
    await listen(store, 'till.transaction.received');
    await under.tills.observe(anObservedTransaction(aTransaction({ amount: null })));
    await under.tills.observe(anObservedTransaction());
    expect(await claimCalls(store)).toMatchObject([
      { payload: { transaction: { amount: '100.0' } } },
    ]);
  });

  it('keeps the amount of the first report whose amount can be read', async () => {
    await listen(store, 'till.transaction.received');
    await under.tills.observe(anObservedTransaction(aTransaction({ amount: null })));
    await under.tills.observe(anObservedTransaction());
    await under.tills.observe(anObservedTransaction(aTransaction({ amount: '1.0' })));
    const calls = await claimCalls(store);
    expect(calls).toMatchObject([{ payload: { transaction: { amount: '100.0' } } }]);
    const known = await store.transactions.find('default', 'ONE');
    expect(known?.sums).toMatchObject([{ amountMinor: '10000' }]);
  });

  it('emits no event while its amount cannot be read, which is an anomaly', async () => {
    await listen(store, 'till.transaction.received');
    await under.tills.observe(anObservedTransaction(aTransaction({ amount: null })));
    expect(await claimCalls(store)).toEqual([]);
    expect(await anomaliesIn(store)).toEqual(['transaction with an unreadable amount']);
  });

  it('emits no event when its till is not in the list of tills of its account', async () => {
    await listen(store, 'till.transaction.received');
    const { tills } = aLedger(store, { tills: ['514459'], tillAliases: { K1: '514459' } });
    const elsewhere = aTransaction({ tillNumber: '999', reference: 'A' });
    await tills.observe(anObservedTransaction(elsewhere));
    const listed = aTransaction({ tillNumber: 'K1', reference: 'B' });
    await tills.observe(anObservedTransaction(listed));
    expect(await claimCalls(store)).toMatchObject([{ stream: 'money:B' }]);
  });

  it('emits its event once, even if an alias is added or removed between two reports', async () => {
    await listen(store, 'till.transaction.received');
    for (const reference of ['ADDED', 'REMOVED']) {
      const settings = [{}, ALIASES];
      if (reference === 'REMOVED') settings.reverse();
      for (const tillAliases of settings) {
        const restarted = aLedger(store, { tillAliases });
        const numbers = tillAliases === ALIASES ? ['514459', 'K000123'] : ['514459'];
        for (const tillNumber of [...numbers, '514459'])
          await restarted.tills.observe(
            anObservedTransaction(aTransaction({ reference, tillNumber })),
          );
      }
    }
    expect(await claimCalls(store)).toHaveLength(2);
    const removed = aTransaction({ reference: 'REMOVED', tillNumber: 'K000123' });
    await aLedger(store).tills.observe(anObservedTransaction(removed));
    expect((await store.transactions.find('default', 'REMOVED'))?.sums).toHaveLength(1);
  });

  it('emits its event once, even if a person named it at one number of its till and an alias joins the other number later', async () => {
    await listen(store, 'till.transaction.received');
    const { id } = await aRequestedPayment(under);
    await under.ledger.review(keyOf(id), 'no_evidence', 'late');
    await under.ledger.resolve(keyOf(id), { ...DECISION, reference: 'ONE' });
    await under.tills.observe(anObservedTransaction(aTransaction({ tillNumber: 'K000123' })));
    const restarted = aLedger(store, { tillAliases: ALIASES });
    await restarted.tills.observe(anObservedTransaction());
    expect(await claimCalls(store)).toHaveLength(1);
  });

  it('has all that the platform reports of its reversal, after a refund proved only that it was reversed', async () => {
    const proved = {
      ...referenceOnly({ currency: 'KES', value: '100' }, '514459', 'ONE'),
      status: 'Reversed',
    };
    await under.tills.observe(
      anObservedTransaction(proved, { via: 'status', reversal: true, announce: false }),
    );
    const shown = aTransaction({ status: 'Reversed', senderFirstName: 'Jane' });
    await under.tills.observe(anObservedTransaction(shown));
    await under.tills.observe(anObservedTransaction(proved, { via: 'status', announce: false }));
    const record = await under.store.transactions.find('default', 'ONE');
    expect(record?.sums).toMatchObject([{ reversal: { senderFirstName: 'Jane' } }]);
  });

  it('that a person named has the time and the payer of the reversal that is reported first', async () => {
    const { id } = await aRequestedPayment(under);
    await under.ledger.review(keyOf(id), 'no_evidence', 'late');
    await under.ledger.resolve(keyOf(id), { ...DECISION, reference: 'ONE' });
    const sums = async () => (await under.store.transactions.find('default', 'ONE'))?.sums;
    expect(await sums()).toMatchObject([{ originatedAt: null, payerHash: null }]);
    await under.tills.observe(anObservedTransaction(aTransaction({ status: 'Reversed' })));
    expect(await sums()).toMatchObject([
      {
        amountMinor: '10000',
        originatedAt: new Date('2026-01-20T19:45:12.000Z'),
        payerHash: expect.any(String),
      },
    ]);
  });

  it('emits one reversal event when it is reversed, even if the reversal is reported first', async () => {
    await listen(store, 'till.transaction.received', 'till.transaction.reversed');
    for (let times = 0; times < 2; times += 1)
      await under.tills.observe(anObservedTransaction(gone));
    const [first] = await claimCalls(store);
    expect(first).toMatchObject({ event: 'till.transaction.reversed' });
    if (first) await store.events.finishCall(first, { kind: 'done' });
    await under.tills.observe(anObservedTransaction());
    expect(await claimCalls(store)).toMatchObject([
      { event: 'till.transaction.received', payload: { reversed: true } },
    ]);
  });

  it('emits that it was received when only the callback of its payment and the reversal report it', async () => {
    const { id } = await aRequestedPayment(under);
    // The result of a payment does not say of which kind its money is.
    const shown = aTransaction({ type: 'Incoming Payment Request', kind: null });
    await applied(under, keyOf(id), aSuccess('p1', shown), 'callback');
    await listen(store, 'till.transaction.received', 'till.transaction.reversed');
    await under.tills.observe(anObservedTransaction(gone));
    const [first] = await claimCalls(store);
    expect(first).toMatchObject({
      event: 'till.transaction.received',
      payload: {
        transaction: { kind: 'buygoods', type: 'Incoming Payment Request' },
        paymentId: id,
        reversed: true,
        webhookEventId: null,
      },
    });
    if (first) await store.events.finishCall(first, { kind: 'done' });
    expect(await claimCalls(store)).toMatchObject([{ event: 'till.transaction.reversed' }]);
    await under.tills.observe(anObservedTransaction());
    expect(await claimCalls(store)).toEqual([]);
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'a payment link that a person has resolved',
      async () => {
        const link = await aPendingLink(under, 1);
        await shows(link, 'Cancelled', 'ONE');
        return under.ledger.resolve(link, DECISION);
      },
    ],
    [
      'a payment link that shows a second transaction',
      async () => {
        const link = await aPendingLink(under, 1);
        await shows(link, 'Paid', 'FIRST');
        return shows(link, 'Paid', 'ONE');
      },
    ],
  ])('emits no amount that nobody has shown, when the money of %s is reversed', async (_, tie) => {
    await tie();
    await listen(store, 'till.transaction.received', 'till.transaction.reversed');
    await under.tills.observe(anObservedTransaction(gone));
    const calls = await claimCalls(store);
    expect(calls.map(({ event }) => event)).toEqual(['till.transaction.reversed']);
  });

  describe('of another amount than that of the payment link that shows its reference', () => {
    const ten = (): Promise<unknown> =>
      under.tills.observe(anObservedTransaction(aTransaction({ amount: '10.00' })));
    const kept = async () => (await store.transactions.find('default', 'ONE'))?.sums;

    it('sends the link to review when the till said it first', async () => {
      const link = await aPendingLink(under, 1);
      await ten();
      await shows(link, 'Paid', 'ONE');
      expect(await under.ledger.find(link)).toMatchObject({
        state: 'needs_review',
        cause: 'amount_mismatch',
        causeDetail: 'asked for 100.00 KES, and the till received 10.00 KES',
        transaction: { amount: '10.00', provenance: 'till' },
      });
      expect(await kept()).toMatchObject([{ amountMinor: '1000', paymentLinkId: link.id }]);
    });

    it('is emitted with what the till says when the link said it first, and a person is asked', async () => {
      const link = await aPendingLink(under, 1);
      await shows(link, 'Paid', 'ONE');
      await listen(store, 'till.transaction.received', 'payment-link.needs_review');
      await ten();
      const calls = await claimCalls(store);
      expect(calls.map(({ event, payload }) => ({ event, payload }))).toMatchObject([
        {
          event: 'till.transaction.received',
          payload: { transaction: { amount: '10.00' }, paymentLinkId: link.id },
        },
        { event: 'payment-link.needs_review', payload: { cause: 'amount_mismatch' } },
      ]);
      expect(await under.ledger.find(link)).toMatchObject({
        state: 'succeeded',
        cause: 'amount_mismatch',
        transaction: { amount: '10.00', provenance: 'till' },
      });
      expect(await anomaliesIn(store)).toEqual(['transaction reported with another amount']);
      await ten();
      await shows(link, 'Paid', 'ONE');
      for (const call of calls) await store.events.finishCall(call, { kind: 'done' });
      expect(await claimCalls(store)).toEqual([]);
    });

    it('is the money that the link shows when it is cancelled afterwards', async () => {
      const link = await aPendingLink(under, 1);
      await ten();
      await shows(link, 'Cancelled', 'ONE');
      expect(await under.ledger.find(link)).toMatchObject({
        state: 'needs_review',
        transaction: { amount: '10.00', provenance: 'till' },
      });
    });

    it('counts as what the till says, also for a refund, when the link was cancelled before', async () => {
      const link = await aPendingLink(under, 1);
      await shows(link, 'Cancelled', 'ONE');
      expect(await kept()).toMatchObject([{ received: null, amountMinor: null }]);
      await listen(store, 'till.transaction.received');
      await ten();
      const [call] = await claimCalls(store);
      expect(call).toMatchObject({ payload: { transaction: { amount: '10.00' } } });
      expect(await kept()).toMatchObject([
        { received: { amount: '10.00' }, amountMinor: '1000', paymentLinkId: link.id },
      ]);
      const { causeDetail } = await under.ledger.find(link);
      expect(causeDetail).toMatch(/asked for 100.00 KES, and the till received 10.00 KES/);
    });
  });

  it('that the till reports with another amount, after a person has named its reference, asks a person', async () => {
    const { id } = await aRequestedPayment(under);
    await under.ledger.review(keyOf(id), 'no_evidence', 'late');
    await under.ledger.resolve(keyOf(id), { ...DECISION, reference: 'ONE' });
    await under.tills.observe(anObservedTransaction(aTransaction({ amount: '10.00' })));
    expect(await under.ledger.find(keyOf(id))).toMatchObject({
      state: 'succeeded',
      cause: 'amount_mismatch',
      transaction: { amount: '10.00' },
    });
  });

  describe('that a person named before any till reported it, and that another till reports', () => {
    const elsewhere = (changes: Partial<Transaction> = {}) =>
      anObservedTransaction(aTransaction({ tillNumber: '777777', ...changes }));
    let id: string;

    beforeEach(async () => {
      id = (await aRequestedPayment(under)).id;
      await under.ledger.review(keyOf(id), 'no_evidence', 'late');
      await under.ledger.resolve(keyOf(id), { ...DECISION, reference: 'ONE' });
    });

    it('asks a person once, and belongs to nobody until that person has answered', async () => {
      await under.tills.observe(elsewhere());
      await under.tills.observe(elsewhere());
      expect(await under.ledger.find(keyOf(id))).toMatchObject({
        state: 'succeeded',
        cause: 'reports_differ',
        causeDetail: expect.stringMatching(
          /transaction ONE was named by a person for till 514459, and reported at till 777777; .*PAYMENTS_TILL_ALIASES=777777=514459/,
        ),
      });
      expect(await store.transactions.find('default', 'ONE')).toMatchObject({
        sums: [{ paymentId: id }, { paymentId: null }],
      });
    });

    it('can be named for no other payment', async () => {
      await under.tills.observe(elsewhere());
      const other = await aRequestedPayment(under);
      await under.ledger.review(other, 'no_evidence', 'late');
      await expect(under.ledger.resolve(other, { ...DECISION, reference: 'ONE' })).rejects.toThrow(
        `belongs to payment ${id}`,
      );
    });

    it('can be called the money of the payment after it went back', async () => {
      await under.tills.observe(elsewhere());
      await under.tills.observe(elsewhere({ status: 'Reversed' }));
      await under.ledger.resolve(keyOf(id), { ...DECISION, state: 'reversed' });
      expect(await under.ledger.find(keyOf(id))).toMatchObject({ state: 'reversed' });
      expect(await store.transactions.find('default', 'ONE')).toMatchObject({
        sums: [{ paymentId: id }, { paymentId: id }],
      });
    });
  });

  it('causes an error when another process always changes it first', async () => {
    store.ledger.commit = async () => null;
    await expect(under.tills.observe(anObservedTransaction())).rejects.toThrow(
      /transaction ONE changes faster/,
    );
  });

  it('that a callback shows for a bare request belongs to that request, and to no payment', async () => {
    const { ledger, bareResults } = under;
    const subject = { account: 'default', stream: 'platform-1', via: 'callback' } as const;
    const incomingPayment = aSuccess('platform-1');
    const event = deliveryEvent('incoming-payment.completed', subject, { incomingPayment });
    await bareResults.commit(event, 'bare-1', aTransaction());
    await bareResults.commit(event, 'bare-1', aTransaction());
    expect(await store.transactions.find('default', 'ONE')).toMatchObject({
      sums: [{ bareId: 'bare-1', paymentId: null }],
    });
    const { id } = await aRequestedPayment(under);
    expect(
      await ledger.apply(await ledger.find(keyOf(id)), {
        via: 'sweep',
        platformId: null,
        askedAt: new Date(),
        transaction: aTransaction(),
        content: { matched: aTransaction() },
      }),
    ).toMatchObject({
      state: 'requested',
    });
    await ledger.review(keyOf(id), 'no_evidence', 'late');
    await expect(ledger.resolve(keyOf(id), { ...DECISION, reference: 'ONE' })).rejects.toThrow(
      /a request of your own, bare-1/,
    );
    await bareResults.commit(event, 'bare-2', aTransaction());
    expect(await anomaliesIn(store)).toContain('transaction of two requests');
  });

  describe('that was reported at two numbers before an alias joined them', () => {
    const observe = ({ tills }: LedgerUnderTest, tillNumber: string, status = 'Received') =>
      tills.observe(anObservedTransaction(aTransaction({ tillNumber, status })));

    it('belongs to one payment only, after any decision of a person', async () => {
      const { id } = await aRequestedPayment(under);
      const shown = aTransaction({ tillNumber: 'K000123' });
      await applied(under, keyOf(id), aSuccess('p1', shown), 'callback');
      await under.ledger.resolve(keyOf(id), DECISION);
      await observe(under, '514459');
      const { ledger } = aLedger(store, { tillAliases: ALIASES });
      const other = await aRequestedPayment(under);
      await ledger.review(other, 'no_evidence', 'late');
      await expect(ledger.resolve(other, { ...DECISION, reference: 'ONE' })).rejects.toThrow(
        `belongs to payment ${id}`,
      );
    });

    it('cannot be confirmed by a person after a reversal at the other number', async () => {
      const { id } = await aRequestedPayment(under);
      const odd = anIncomingPayment('p1', 'Success', aTransaction(), ['odd']);
      await applied(under, keyOf(id), odd, 'callback');
      await observe(under, 'K000123', 'Reversed');
      const { ledger } = aLedger(store, { tillAliases: ALIASES });
      await expect(ledger.resolve(keyOf(id), DECISION)).rejects.toThrow(/was reversed/);
    });

    it('reverses its payment when its reversal is reported again', async () => {
      const { id } = await aRequestedPayment(under);
      await applied(under, keyOf(id), aSuccess('p1'), 'callback');
      await observe(under, 'K000123', 'Reversed');
      expect(await under.ledger.find(keyOf(id))).toMatchObject({ state: 'succeeded' });
      const restarted = aLedger(store, { tillAliases: ALIASES });
      await observe(restarted, 'K000123', 'Reversed');
      expect(await restarted.ledger.find(keyOf(id))).toMatchObject({ state: 'reversed' });
    });
  });
});
