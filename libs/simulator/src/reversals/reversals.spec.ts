import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { balanceOf, send, wallet } from '../testing/money-out.fixture.js';
import { idOf } from '../testing/platform-client.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

const PATH = '/api/v2/reversals';
const PHONE = '+254700000001';
const DAY = 86_400_000;

describe('A reversal at the simulator', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform();
  });

  afterEach(() => platform.stop());

  const pay = async (changes = {}) => {
    const payment = { tillNumber: '514459', phoneNumber: PHONE, amount: 70, ...changes };
    return (await platform.simulator.payTill(payment)).reference;
  };
  const create = async (reference: string, changes = {}) =>
    platform.client.post(PATH, {
      transaction_reference: reference,
      reason: 'Broken',
      metadata: { order: '9' },
      _links: { callback_url: `${platform.receiver.url}/refunds` },
      ...changes,
    });
  const reverse = async (reference: string) => {
    const answer = await create(reference);
    if (answer.status !== 201) throw new Error(`Refused: ${JSON.stringify(answer.body)}`);
    await platform.simulator.idle();
    return idOf(answer);
  };
  const read = async (id: string) =>
    (await platform.client.get(`${PATH}/${id}`)).body.data.attributes as Record<string, unknown>;

  it('gives the money back, marks the transaction, and tells the customer and the application', async () => {
    await platform.subscribe('buygoods_transaction_reversed');
    const reference = await pay();
    const id = await reverse(reference);
    expect(balanceOf(platform, 'till:514459')).toBe(0);
    expect(balanceOf(platform, `mobile_wallet:${PHONE}`)).toBe(7_000);
    const [refund] = platform.simulator.refunds();
    expect(refund).toEqual({
      merchant: 'default',
      refundId: id,
      transactionReference: reference,
      tillNumber: '514459',
      phone: PHONE,
      amount: 70,
      currency: 'KES',
      reason: 'Broken',
      callbackUrl: `${platform.receiver.url}/refunds`,
      metadata: { order: '9' },
      scenario: 'transferred',
      status: 'Processed',
      paymentStatus: 'Transferred',
      errors: null,
      paid: true,
      reference: expect.stringMatching(/^\w{10}$/),
      createdAt: expect.any(String),
    });
    expect(refund!.reference).not.toBe(reference);
    expect(platform.simulator.transactions()).toMatchObject([{ reference, reversed: true }]);
    const webhook = platform.receiver.received.find(({ body }) => body.topic !== undefined);
    expect(webhook!.body.event.resource).toMatchObject({ reference, status: 'Reversed' });
    expect(platform.simulator.handset(PHONE).inbox()).toMatchObject([
      { text: expect.stringContaining(`${refund!.reference} confirmed`) },
    ]);
  });

  it('reads as the platform publishes it, and its callback has the same body', async () => {
    const reference = await pay();
    const id = await reverse(reference);
    const { body } = await platform.client.get(`${PATH}/${id}`);
    expect(body).toEqual({
      data: {
        id,
        type: 'reversal',
        attributes: {
          status: 'Processed',
          created_at: expect.stringMatching(/\+03:00$/),
          transaction_reference: reference,
          reason: 'Broken',
          reversal_bulk_payment: {
            amount: '70.0',
            status: 'Transferred',
            origination_time: expect.stringMatching(/\+03:00$/),
            transaction_reference: platform.simulator.refunds()[0]!.reference,
          },
          errors: null,
          metadata: { order: '9' },
          _links: {
            callback_url: `${platform.receiver.url}/refunds`,
            self: `${platform.simulator.url}${PATH}/${id}`,
          },
        },
      },
    });
    const bodies = platform.receiver.received.map((delivery) => delivery.body as unknown);
    expect(bodies).toHaveLength(2);
    expect(bodies).toContainEqual(body);
  });

  it('goes from Received over Scheduled to Processed, and then pays', async () => {
    await platform.stop();
    const timings = { payoutScheduling: 1_000, payoutProcessing: 1_000, disbursement: 1_000 };
    platform = await startPlatform({ timings });
    const id = await reverse(await pay());
    const steps: unknown[] = [];
    for (let second = 0; second < 4; second++) {
      const attributes = await read(id);
      const payment = attributes.reversal_bulk_payment as { status: string } | null | undefined;
      steps.push([attributes.status, payment && payment.status]);
      await platform.simulator.clock.advance(1_000);
    }
    expect(steps).toEqual([
      ['Received', null],
      ['Scheduled', undefined],
      ['Processed', 'Pending'],
      ['Processed', 'Transferred'],
    ]);
  });

  it('of money from another till goes back to that till', async () => {
    await platform.subscribe('b2b_transaction_reversed');
    await reverse(await pay({ sendingTill: 'Corner Shop' }));
    expect(balanceOf(platform, 'external_till:Corner Shop')).toBe(7_000);
    expect(platform.arrivals()).toContain('b2b_transaction_reversed');
    expect(platform.simulator.refunds()).toMatchObject([{ phone: null, paid: true }]);
  });

  it('is cancelled with the balance text when the till has paid the money out', async () => {
    const reference = await pay();
    await send(platform, [wallet({ amount: 10 })]);
    const id = await reverse(reference);
    expect(await read(id)).toMatchObject({
      status: 'Processed',
      reversal_bulk_payment: { status: 'Cancelled', transaction_reference: null },
      errors: ['The balance is insufficient for the transaction'],
    });
    expect(platform.simulator.transactions()).toMatchObject([{ reversed: false }]);
    expect(balanceOf(platform, 'till:514459')).toBe(6_000);
    await pay();
    await reverse(reference);
    expect(platform.simulator.refunds().map(({ paid }) => paid)).toEqual([false, true]);
  });

  it('of an unknown transaction is refused', async () => {
    expect((await create('NOTHING')).body).toEqual({
      error_code: 400,
      error_message: 'Transaction reference invalid',
    });
  });

  it('is possible for 30 days after the payment', async () => {
    const [late, early] = [await pay(), await pay()];
    await platform.simulator.clock.advance(30 * DAY - 60_000);
    await platform.client.authenticate();
    await reverse(early);
    await platform.simulator.clock.advance(120_000);
    expect((await create(late)).body.error_message).toBe('Transaction reference invalid');
  });

  it('is refused while another one is open, and after the transaction was reversed', async () => {
    platform.simulator.payout(PHONE, 'slow');
    const reference = await pay();
    await reverse(reference);
    expect((await create(reference)).body).toEqual({
      error_code: 400,
      error_message: ['You cannot reverse a transaction in Pending Reversal'],
    });
    await platform.simulator.clock.advance(3_600_000);
    await platform.client.authenticate();
    expect((await create(reference)).body.error_message).toEqual([
      'You cannot reverse a transaction in Reversed',
    ]);
    expect(balanceOf(platform, `mobile_wallet:${PHONE}`)).toBe(7_000);
  });

  it('does not pay a second time when the platform has reversed the transaction meanwhile', async () => {
    platform.simulator.payout(PHONE, 'slow');
    const reference = await pay();
    await pay();
    await reverse(reference);
    await platform.simulator.reverse(reference);
    await platform.simulator.clock.advance(3_600_000);
    expect(balanceOf(platform, `mobile_wallet:${PHONE}`)).toBe(7_000);
    expect(platform.simulator.refunds()).toMatchObject([
      { paid: false, paymentStatus: 'Cancelled' },
    ]);
  });

  it.each([
    [
      'cancelled',
      'is cancelled with errors',
      { paymentStatus: 'Cancelled', paid: false, hasErrors: true },
    ],
    [
      'transferred_with_errors',
      'is transferred with errors',
      { paymentStatus: 'Transferred', paid: true, hasErrors: true },
    ],
    ['open', 'stays open', { paymentStatus: 'Pending', paid: false, hasErrors: false }],
    [
      'transferred_after_cancelled',
      'is transferred in the end',
      { paymentStatus: 'Transferred', paid: true, hasErrors: false },
    ],
    [
      'cancelled_after_transferred',
      'is cancelled in the end',
      { paymentStatus: 'Cancelled', paid: false, hasErrors: true },
    ],
    [
      'unknown_status',
      'pays with an unknown status',
      { paymentStatus: 'Settling', paid: true, hasErrors: false },
    ],
    [
      'silent',
      'pays without a callback',
      { paymentStatus: 'Transferred', paid: true, hasErrors: false },
    ],
  ] as const)('to a customer with the scenario %s %s', async (name, _, end) => {
    platform.simulator.payout(PHONE, name);
    await reverse(await pay());
    await platform.simulator.clock.advance(10_000);
    const [refund] = platform.simulator.refunds();
    expect(refund).toMatchObject({ paymentStatus: end.paymentStatus, paid: end.paid });
    expect(refund!.errors !== null).toBe(end.hasErrors);
    expect(balanceOf(platform, `mobile_wallet:${PHONE}`)).toBe(end.paid ? 7_000 : 0);
    expect(platform.simulator.transactions()[0]!.reversed).toBe(end.paid);
    expect(platform.receiver.received.length === 0).toBe(name === 'silent');
  });

  it.each(['transaction_reference', 'reason', '_links'])('is refused without %s', async (name) => {
    const answer = await create(await pay(), { [name]: undefined });
    expect(answer.body).toEqual({ error_code: 400, error_message: `${name} is missing` });
  });
});
