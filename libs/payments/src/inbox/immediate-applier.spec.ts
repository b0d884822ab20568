import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { LedgerChange } from '../store/ledger.store.js';
import type { NewDelivery } from '../store/deliveries.store.js';
import type { PaymentRecord } from '../operations/payments/payment.js';
import { StoreUnavailableError } from '../payments.errors.js';
import { MemoryStore } from '../memory/memory.store.js';
import { aDelivery, aWebhook, callbackUrlOf, deliveriesOf } from '../testing/deliveries.fixture.js';
import {
  aLedger,
  anObservedTransaction,
  aPendingPayment,
  applied,
  aSuccess,
  aTransaction,
  keyOf,
  type LedgerUnderTest,
} from '../testing/ledger.fixture.js';
import { MoneyOut } from '../testing/money-out.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import type { ImmediateApplier } from './inbox.service.js';
import { parseDelivery } from './delivery-parser.js';

const LONG_AGO = '2020-01-01T00:00:00Z';

const COMMITTED = expect.objectContaining({ kind: 'committed' });

const aResult = (paymentId: string, attributes: object, id = 'x'): NewDelivery =>
  aDelivery({
    data: {
      id,
      type: 'incoming_payment',
      attributes: { ...attributes, _links: { callback_url: callbackUrlOf(paymentId), self: null } },
    },
  });

const paid = (reference: string, changes: object = {}): object => ({
  status: 'Success',
  event: {
    type: 'Incoming Payment Request',
    resource: {
      reference,
      status: 'Received',
      amount: '100.0',
      currency: 'KES',
      till_number: '514459',
      origination_time: '2026-01-31T08:00:00+03:00',
      ...changes,
    },
    errors: null,
  },
});

describe('a delivery that is not stored yet', () => {
  let under: LedgerUnderTest;
  let store: MemoryStore;
  let immediate: ImmediateApplier;
  let payment: PaymentRecord;
  let webhook: NewDelivery;
  let lines: string[];
  let hangs: Promise<void>;
  let end: () => void;

  beforeEach(async () => {
    lines = [];
    hangs = new Promise((resolve) => (end = resolve));
    const keep = (line: unknown): unknown => lines.push(String(line));
    Logger.overrideLogger({ log: () => undefined, warn: keep, error: keep });
    const runtime = new SkippingRuntime();
    store = new MemoryStore(() => runtime.now());
    under = aLedger(store, {}, runtime);
    ({ immediate } = deliveriesOf(under, runtime));
    payment = await aPendingPayment(under, 'x');
    webhook = aWebhook(aTransaction());
  });

  afterEach(() => void Logger.overrideLogger(false));

  const arrives = (delivery: NewDelivery): ReturnType<ImmediateApplier['apply']> =>
    immediate.apply(delivery, parseDelivery(delivery.body, { accepted: {} }));

  const aChange = (): LedgerChange =>
    ({ account: 'default', operation: { id: payment.id } }) as LedgerChange;

  /** This process does not know the payment any more, as if another one had sent its create. */
  const removePayment = (): void => under.records.delete(aChange());

  const aTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  const stateOfPayment = async (): Promise<string> => (await under.ledger.find(payment)).state;

  /** Calls that write into the store. */
  const spyOnWrites = (): (() => unknown[]) => {
    const { anomalies, ledger, operations, bareRequests, deliveries } = store;
    const spies = [
      jest.spyOn(anomalies, 'record'),
      jest.spyOn(ledger, 'commit'),
      jest.spyOn(operations, 'makeDue'),
      jest.spyOn(bareRequests, 'keep'),
      jest.spyOn(deliveries, 'store'),
      jest.spyOn(ledger, 'commitWithDelivery'),
    ];
    return () => spies.flatMap((spy): unknown[] => spy.mock.calls);
  };

  it('is stored by the commit of what it changes, when the commit of its payment that is under way has ended', async () => {
    const result = applied(under, keyOf(payment.id), aSuccess('x'), 'callback');
    while (!under.records.changingOperation('default', payment.id)) await Promise.resolve();
    expect(await arrives(webhook)).toEqual(COMMITTED);
    expect(await store.deliveries.find('default', webhook.id)).toMatchObject({ state: 'done' });
    await result;
  });

  it('is not stored when the result of its payment does not come in time', async () => {
    const find = jest.spyOn(store.transactions, 'find');
    expect(await arrives(webhook)).toBeUndefined();
    expect(find).not.toHaveBeenCalled();
  });

  it('is not stored when the commit under way does not end soon, because another transaction may hold the row', async () => {
    under.records.during(aChange(), hangs);
    expect(await arrives(webhook)).toBeUndefined();
    expect(await arrives(aResult(payment.id, paid('ONE')))).toBeUndefined();
  });

  it('is not stored after four commits, so that the answer is not too late', async () => {
    let commits = 0;
    const [change, records] = [aChange(), under.records];
    const commit = async (): Promise<void> => {
      await Promise.resolve();
      if ((commits += 1) < 1_000) begin();
    };
    const begin = (): void => records.during(change, commit());
    begin();
    const commitWithDelivery = jest.spyOn(store.ledger, 'commitWithDelivery');
    expect(await arrives(aResult(payment.id, paid('ONE')))).toBeUndefined();
    expect(commitWithDelivery).not.toHaveBeenCalled();
  });

  it('that is a result costs one read of its operation when another process has sent that', async () => {
    const find = jest.spyOn(store.operations, 'find');
    removePayment();
    expect(await arrives(aResult(payment.id, paid('ONE')))).toEqual(COMMITTED);
    expect(find).toHaveBeenCalledTimes(1);
    expect(await stateOfPayment()).toBe('succeeded');
  });

  it('is not stored when a read hangs, and changes nothing when the read ends later', async () => {
    const find = store.transactions.findUntied.bind(store.transactions);
    store.transactions.findUntied = (...query) => hangs.then(() => find(...query));
    expect(await arrives(aResult(payment.id, { status: 'Failed' }))).toBeUndefined();
    end();
    await aTurn();
    expect(await stateOfPayment()).toBe('pending');
  });

  it('waits for its own commit, however long that takes', async () => {
    const commit = store.ledger.commitWithDelivery.bind(store.ledger);
    store.ledger.commitWithDelivery = (...change) => hangs.then(() => commit(...change));
    const arrived = arrives(aResult(payment.id, paid('ONE')));
    for (let turn = 0; turn < 3; turn += 1) await aTurn();
    end();
    expect(await arrived).toEqual(COMMITTED);
  });

  it('is not stored when the platform must confirm it first', async () => {
    await applied(under, keyOf(payment.id), aSuccess('x'), 'callback');
    expect(await arrives({ ...webhook, verifiedBy: 'url' })).toBeUndefined();
  });

  it('is stored as pending and claimed when another process has changed what is known here', async () => {
    const known = under.records.operation('default', payment.id)!;
    await applied(
      under,
      keyOf(payment.id),
      aSuccess('x', aTransaction({ reference: 'TWO' })),
      'callback',
    );
    under.records.keep(known);
    expect(await arrives(aResult(payment.id, paid('ONE')))).toMatchObject({ kind: 'stored' });
    expect(await stateOfPayment()).toBe('succeeded');
    expect(under.records.operation('default', payment.id)).toBeNull();
  });

  it('is stored as pending when another process has written the transaction that it shows', async () => {
    await under.tills.observe(anObservedTransaction(aTransaction()));
    under.records.delete({ account: 'default', transaction: { reference: 'ONE' } } as LedgerChange);
    expect(await arrives(aResult(payment.id, paid('ONE')))).toMatchObject({ kind: 'stored' });
    expect(await stateOfPayment()).toBe('pending');
  });

  it('says that it is a duplicate, and changes nothing', async () => {
    const result = aResult(payment.id, paid('ONE'));
    await store.deliveries.store({ ...result, id: 'first' });
    expect(await arrives(result)).toEqual({ kind: 'duplicate' });
    expect(await stateOfPayment()).toBe('pending');
  });

  describe('of a payment that is paid, is stored before anything is written, when', () => {
    let writes: () => unknown[];

    beforeEach(async () => {
      await applied(under, keyOf(payment.id), aSuccess('x'), 'callback');
      writes = spyOnWrites();
    });

    it.each<[string, () => NewDelivery]>([
      ['its result shows another amount', () => aResult(payment.id, paid('ONE', { amount: '90' }))],
      ['its result says that it failed', () => aResult(payment.id, { status: 'Failed' })],
      ['its result has another id', () => aResult(payment.id, paid('TWO'), 'another')],
      ['its webhook shows another amount', () => aWebhook(aTransaction({ amount: '90' }))],
      [
        'its webhook says that it was reversed',
        () => aWebhook(aTransaction({ status: 'Reversed' })),
      ],
      ['its webhook is too old', () => aWebhook(aTransaction({ originationTime: LONG_AGO }))],
      ['it is the result of a bare request', () => aResult('bare-1', paid('TWO'), 'another')],
    ])('%s', async (_, delivery) => {
      expect(await arrives(delivery())).toBeUndefined();
      expect(writes()).toEqual([]);
    });

    it('a person has named its transaction, and its webhook says the amount', async () => {
      const named = await aPendingPayment(under, 'z');
      await under.ledger.review(named, 'no_evidence', 'late');
      const by = { by: 'jane', note: 'seen in the portal' };
      await under.ledger.resolve(named, { state: 'succeeded', reference: 'NAMED', ...by });
      const before = writes();
      expect(await arrives(aWebhook(aTransaction({ reference: 'NAMED' })))).toBeUndefined();
      expect(writes()).toEqual(before);
    });

    it('its webhook shows other money that nobody owns', async () => {
      const free = aTransaction({ reference: 'FREE', senderPhoneNumber: '+254700000002' });
      await under.tills.observe({ ...anObservedTransaction(free), announce: false });
      const search = jest.spyOn(store.operations, 'findCandidates');
      expect(await arrives(aWebhook(free))).toBeUndefined();
      expect(search).not.toHaveBeenCalled();
    });

    it('another payment shows its transaction', async () => {
      const other = await aPendingPayment(under, 'z');
      const before = writes();
      expect(await arrives(aResult(other.id, paid('ONE'), 'z'))).toBeUndefined();
      expect(writes()).toEqual(before);
    });
  });

  it('is stored before anything is written when it says that a refund was paid, because that changes two operations', async () => {
    const money = new MoneyOut();
    const paymentId = await money.paidPayment();
    const refund = { idempotencyKey: 'key', paymentId, why: 'Out of stock' };
    const { id, platformId } = await money.refunds.request(refund);
    const of = deliveriesOf(money.under, money.runtime).immediate;
    const attributes = {
      status: 'Processed',
      transaction_reference: 'ONE',
      reversal_bulk_payment: { status: 'Transferred', amount: '100.0' },
      _links: { callback_url: callbackUrlOf(id, 'reversals'), self: null },
    };
    const result = aDelivery({ data: { id: platformId, type: 'reversal', attributes } });
    store = money.store;
    const writes = spyOnWrites();
    expect(await of.apply(result, parseDelivery(result.body, { accepted: {} }))).toBeUndefined();
    expect(writes()).toEqual([]);
    money.close();
  });

  it('is not stored when its money was reversed, because then the state of its payment matters', async () => {
    await applied(under, keyOf(payment.id), aSuccess('x'), 'callback');
    const reversed = aTransaction({ status: 'Reversed' });
    await under.tills.observe(anObservedTransaction(reversed));
    expect(under.records.transaction('default', 'ONE')?.sums).toMatchObject([{ reversal: {} }]);
    expect(await arrives(webhook)).toBeUndefined();
    expect(await arrives(aWebhook(reversed))).toBeUndefined();
  });

  it('fails when its commit finds no store, so that the platform sends it again', async () => {
    const away = new StoreUnavailableError('away');
    jest.spyOn(store.ledger, 'commitWithDelivery').mockRejectedValue(away);
    await expect(arrives(aResult(payment.id, paid('ONE')))).rejects.toBe(away);
  });

  it('is not stored when a read finds no store: to store it may still work', async () => {
    removePayment();
    jest.spyOn(store.operations, 'find').mockRejectedValue(new StoreUnavailableError('away'));
    expect(await arrives(aResult(payment.id, paid('ONE')))).toBeUndefined();
  });

  it('is not stored when applying it throws an error, which is logged', async () => {
    // This error stands for any fault: no record of this version has such tills.
    const some = (): never => {
      throw new Error('nobody at +254700000001');
    };
    under.records.keep({ ...payment, tills: { some } as never });
    expect(await arrives(webhook)).toBeUndefined();
    expect(lines).toEqual([
      expect.stringMatching(
        new RegExp(`^a webhook could not be applied.* account=default deliveryId=${webhook.id}\n`),
      ),
    ]);
    expect(lines[0]).not.toContain('254700000001');
  });
});
