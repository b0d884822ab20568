import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { aPendingPayment, completeCalls, keyOf, listen } from '../../testing/ledger.fixture.js';
import { DAY, MoneyOut } from '../../testing/money-out.fixture.js';
import type { Refund } from './refund.js';
import type { RefundsService } from './refunds.service.js';

Logger.overrideLogger(false);

describe('a refund', () => {
  let money: MoneyOut;
  let sent: unknown[];
  let refunds: RefundsService;

  beforeEach(() => {
    money = new MoneyOut();
    ({ sent, refunds } = money);
  });

  afterEach(() => money.close());

  const why = 'Out of stock';
  const ofMoney = (idempotencyKey = 'key', changes = {}): Promise<Refund> =>
    refunds.request({ idempotencyKey, reference: 'ONE', tillNumber: '514459', why, ...changes });

  it('of a payment sends back its whole transaction', async () => {
    const paymentId = await money.paidPayment();
    expect(await refunds.request({ idempotencyKey: 'key', paymentId, why })).toMatchObject({
      state: 'pending',
      paymentId,
      reference: 'ONE',
      amount: { currency: 'KES', value: '100.00' },
    });
    expect(sent).toMatchObject([{ transactionReference: 'ONE', reason: why }]);
  });

  it('of money without a payment needs its reference and till', async () => {
    await money.receives();
    expect(await ofMoney()).toMatchObject({ state: 'pending', paymentId: null });
    await expect(
      refunds.request({ idempotencyKey: 'other', reference: 'ONE', why } as never),
    ).rejects.toThrow(/tillNumber/);
  });

  it('finds the reference that a person has typed in another case of letters, and sends the known one', async () => {
    await money.receives({ reference: 'Sjk0Test12' });
    const first = await ofMoney('key', { reference: ' SJK0TEST12 ' });
    expect(await ofMoney('key', { reference: 'sjk0test12' })).toMatchObject({ id: first.id });
    expect(sent).toMatchObject([{ transactionReference: 'Sjk0Test12' }]);
  });

  it('does not guess between references that differ by the case of letters only', async () => {
    await money.receives({ reference: 'SJK0TEST12' });
    await money.receives({ reference: 'sjk0test12' });
    await expect(ofMoney('key', { reference: 'Sjk0Test12' })).rejects.toMatchObject({
      reason: 'not_received',
    });
    expect(await ofMoney('other', { reference: 'sjk0test12' })).toMatchObject({
      reference: 'sjk0test12',
    });
  });

  it('is sent once for its key, also after the money went back', async () => {
    await money.receives();
    const { id } = await ofMoney();
    await money.receives({ status: 'Reversed' });
    expect(await ofMoney()).toMatchObject({ id });
    expect(sent).toHaveLength(1);
  });

  it('is refused for the key of another refund', async () => {
    await money.receives();
    await ofMoney();
    await money.receives({ reference: 'TWO' });
    for (const changes of [{ reference: 'TWO' }, { tillNumber: '999' }, { metadata: { a: 1 } }])
      await expect(ofMoney('key', changes)).rejects.toMatchObject({
        code: 'PAYMENTS_IDEMPOTENCY_CONFLICT',
      });
    expect(sent).toHaveLength(1);
  });

  it('is refused under another key while the first one may send the money back, or has done so', async () => {
    await money.receives();
    const { id } = await ofMoney();
    await expect(ofMoney('other')).rejects.toMatchObject({ refundId: id });
    await money.noEvidence(id);
    await expect(ofMoney('other')).rejects.toMatchObject({ refundId: id });
    await refunds.resolve(id, { state: 'succeeded', by: 'peter', note: 'the statement' });
    await expect(ofMoney('other')).rejects.toMatchObject({ refundId: id });
    expect(sent).toHaveLength(1);
  });

  it('can be asked for again when a person says that the first one failed', async () => {
    await money.receives();
    const { id } = await ofMoney();
    await money.noEvidence(id);
    expect(
      await refunds.resolve(id, { state: 'failed', by: 'peter', note: 'the statement' }),
    ).toMatchObject({ state: 'failed' });
    expect(await ofMoney('other')).toMatchObject({ state: 'pending' });
    await expect(refunds.resolve(id, { state: 'failed', by: 'peter', note: '' })).rejects.toThrow(
      /no decision is open/,
    );
  });

  it.each([
    ['succeeded', 'refund.succeeded'],
    ['failed', 'refund.failed'],
  ] as const)('that a person decides as %s emits one event that says so', async (state, name) => {
    await listen(money.store, 'refund.succeeded', 'refund.failed');
    await money.receives();
    const { id } = await ofMoney();
    await money.noEvidence(id);
    const decision = { by: 'peter', note: 'the statement' };
    await refunds.resolve(id, { state, ...decision });
    expect(await completeCalls(money.store)).toMatchObject([
      { payload: { via: 'review', refund: { id, state } }, event: name },
    ]);
    await expect(refunds.resolve(id, { state, ...decision })).rejects.toThrow(
      /no decision is open/,
    );
  });

  it('is decided as succeeded or failed only', async () => {
    await money.receives();
    const { id } = await ofMoney();
    await money.noEvidence(id);
    const state = 'reversed' as 'failed';
    await expect(refunds.resolve(id, { state, by: 'peter', note: 'x' })).rejects.toThrow(
      /state must be succeeded or failed/,
    );
  });

  it.each([
    ['that nobody knows', 'not_found', async (): Promise<string> => 'nobody'],
    [
      'that is still open',
      'not_paid',
      async (): Promise<string> => (await aPendingPayment(money.under, 'x')).id,
    ],
  ] as const)('of a payment %s is refused', async (_, reason, payment) => {
    const paymentId = await payment();
    await expect(refunds.request({ idempotencyKey: 'key', paymentId, why })).rejects.toMatchObject({
      reason,
      message: expect.stringContaining(`Payment ${paymentId}`),
    });
    expect(sent).toEqual([]);
  });

  it.each<[string, object | null, RegExp]>([
    ['was not received', null, /no money with this reference/],
    ['went back already', { status: 'Reversed' }, /sent it back already/],
    ['has no readable amount', { amount: null }, /amount cannot be read/],
    ['is at another till', { tillNumber: '999' }, /no money with this reference/],
    ['is older than 30 days', { originationTime: '2025-12-20T12:00:00Z' }, /older than 30 days/],
  ])('is refused before anything is sent when the money %s', async (_, changes, text) => {
    if (changes) await money.receives(changes);
    await expect(ofMoney()).rejects.toMatchObject({
      code: 'PAYMENTS_NOT_REFUNDABLE',
      message: expect.stringMatching(text),
    });
    expect(sent).toEqual([]);
  });

  it('of money that is 29 days old is sent', async () => {
    const originationTime = new Date(money.runtime.now() - 29 * DAY).toISOString();
    await money.receives({ originationTime });
    expect(await ofMoney()).toMatchObject({ state: 'pending' });
  });

  it.each([
    ['the webhook comes first', ['webhook', 'result', 'result']],
    ['its own result comes first', ['result', 'webhook', 'webhook']],
    ['only its own result comes', ['result', 'result']],
  ])('reverses its payment once when %s', async (_, pieces) => {
    const paymentId = await money.paidPayment();
    const { id } = await refunds.request({ idempotencyKey: 'key', paymentId, why });
    const attributes = {
      status: 'Processed',
      transaction_reference: 'ONE',
      reversal_bulk_payment: { status: 'Transferred', amount: '100.0' },
    };
    for (const piece of pieces)
      if (piece === 'webhook') await money.receives({ status: 'Reversed' });
      else await money.showsRefund(id, attributes);
    expect(await refunds.find(id)).toMatchObject({ state: 'succeeded' });
    const payment = await money.under.ledger.find(keyOf(paymentId));
    expect(payment).toMatchObject({ state: 'reversed' });
    const names = async (stream: string): Promise<string[]> =>
      (await money.store.events.list('default', stream)).map(({ name }) => name);
    expect((await names(paymentId)).filter((name) => name === 'payment.reversed')).toHaveLength(1);
    expect((await names(id)).filter((name) => name === 'refund.succeeded')).toHaveLength(1);
  });

  it('of a payment that did not succeed, or that is not there, is refused', async () => {
    const { id } = await aPendingPayment(money.under, 'platform-1');
    for (const [paymentId, text] of [
      [id, /it is pending/],
      ['nothing', /no such payment/],
    ] as const)
      await expect(refunds.request({ idempotencyKey: 'key', paymentId, why })).rejects.toThrow(
        text,
      );
    expect(sent).toEqual([]);
  });

  it('keeps the name of the person who asked for it, and does not send the name to the platform', async () => {
    await money.receives();
    const { id, requestedBy } = await ofMoney('key', { requestedBy: 'jane@shop.example' });
    expect(requestedBy).toBe('jane@shop.example');
    expect((await refunds.find(id))?.requestedBy).toBe('jane@shop.example');
    expect(JSON.stringify(sent)).not.toContain('jane');
  });

  it('can be seen before it is requested, which records and sends nothing', async () => {
    const of = { reference: 'ONE', tillNumber: '514459' };
    await expect(refunds.preview(of)).rejects.toMatchObject({ reason: 'not_received' });
    await money.receives();
    expect(await refunds.preview(of)).toEqual({
      ...of,
      amount: { currency: 'KES', value: '100.00' },
    });
    expect(sent).toEqual([]);
    const { id } = await ofMoney();
    await expect(refunds.preview(of)).rejects.toMatchObject({ reason: 'refunded', refundId: id });
  });

  it('has notes of persons in its history, which change and emit nothing', async () => {
    await money.receives();
    const before = await ofMoney();
    const noted = await refunds.note(before.id, { by: ' jane ', note: ' asked by phone ' });
    expect({ ...noted, updatedAt: before.updatedAt }).toEqual(before);
    const history = await refunds.history(before.id);
    expect(history.at(-1)).toMatchObject({
      via: 'review',
      what: 'note',
      detail: 'jane: asked by phone',
    });
    expect(await money.store.events.list('default', before.id)).toEqual([]);
    for (const note of ['', ' ', 'x'.repeat(501)])
      await expect(refunds.note(before.id, { by: 'jane', note })).rejects.toThrow('note must be');
    await expect(refunds.note(before.id, { by: '', note: 'x' })).rejects.toThrow('by must be');
    await expect(refunds.note('none', { by: 'jane', note: 'x' })).rejects.toThrow('no refund none');
    expect(await refunds.history(before.id)).toHaveLength(history.length);
  });
});
