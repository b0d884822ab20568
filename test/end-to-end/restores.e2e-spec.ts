import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { SweepsService, type Payment } from '@tillkit/payments';
import { letTimePass } from '../contracts/test-database.js';
import { aPayout, aRequest, aRequestFrom, type Merchant } from '../support/merchant.js';
import { poolOf } from '../support/pool.js';
import { RestoredMerchant } from '../support/restored.merchant.js';
import { until } from '../support/until.js';

const MINUTE = 60_000;

let opened: RestoredMerchant;

beforeEach(async () => {
  opened = await RestoredMerchant.open();
});
afterEach(() => opened.close());

/** What happens in the lost time, from a copy of the database to the restore of it. */
async function lose(
  work: () => Promise<void>,
  before = async (): Promise<void> => {},
): Promise<void> {
  const { at, restore } = await opened.backUp();
  await before();
  await opened.start();
  await work();
  await opened.stop();
  await restore();
  await opened.noteRestore(at);
  await opened.start();
}

const charges = (): number => opened.simulator.charges().length;
const current = (): Merchant => opened.merchant;

it('A customer who has paid in the lost time is not asked again, and a person decides', async () => {
  const request = aRequestFrom('+254700000041');
  let lost: Payment | undefined;
  await lose(async () => {
    const { id } = await current().payments.request(request);
    lost = await current().payments.settled(id);
    expect(lost.state).toBe('succeeded');
  });
  expect(charges()).toBe(1);
  await expect(current().payments.request(request)).rejects.toMatchObject({
    code: 'PAYMENTS_SENDING_PAUSED',
  });
  await opened.sweepLostTime();
  // The host asks with the same key, and then with another one.
  for (const idempotencyKey of [request.idempotencyKey, 'another key']) {
    const asked = await current().payments.request({ ...request, idempotencyKey });
    expect(asked).toMatchObject({ state: 'needs_review', cause: 'ambiguous' });
    const { payment } = await current().received.next(
      'payment.needs_review',
      (event) => event.payment.id === asked.id,
    );
    expect(payment.idempotencyKey).toBe(idempotencyKey);
  }
  expect(charges()).toBe(1);
  const first = await current().payments.findByIdempotencyKey(request.idempotencyKey);
  const reference = lost?.transaction?.reference as string;
  const decision = { state: 'succeeded', by: 'jane', note: 'in the portal', reference } as const;
  await current().payments.resolve(first!.id, decision);
  const { transaction } = await current().received.next('payment.succeeded');
  expect(transaction.reference).toBe(reference);
  // The money has an owner now, so that the customer can pay again.
  const again = await current().payments.request({ ...request, idempotencyKey: 'one more' });
  expect(again.state).toBe('pending');
});

it('A customer whose lost money was for something else, as a person decides, pays again without another review', async () => {
  const request = aRequestFrom('+254700000061');
  await lose(async () => {
    const { id } = await current().payments.request(request);
    await current().payments.settled(id);
  });
  await opened.sweepLostTime();
  const { id } = await current().payments.request(request);
  await current().payments.resolve(id, { state: 'failed', by: 'jane', note: 'another order' });
  await current().received.next('payment.failed');
  const again = await current().payments.request({ ...request, idempotencyKey: 'another order' });
  expect(await current().payments.settled(again.id)).toMatchObject({ state: 'succeeded' });
});

it('Money that a person has said to be for something else still stops the order in review that it may be for', async () => {
  const request = aRequestFrom('+254700000061');
  await lose(async () => {
    const { id } = await current().payments.request(request);
    await current().payments.settled(id);
  });
  await opened.sweepLostTime();
  const ask = (idempotencyKey: string): Promise<Payment> =>
    current().payments.request({ ...request, idempotencyKey });
  const [one, two] = [await ask('order 1'), await ask('order 2')];
  expect([one.state, two.state]).toEqual(['needs_review', 'needs_review']);
  const decision = { state: 'failed', by: 'jane', note: 'it is of order 1' } as const;
  await current().payments.resolve(two.id, decision);
  expect(await ask('order 1, again')).toMatchObject({ state: 'needs_review' });
  expect(charges()).toBe(1);
});

it('Money of a recorded order in review still stops that order after a person has said that it is not of another one', async () => {
  const ask = (idempotencyKey: string): Promise<Payment> =>
    current().payments.request(aRequestFrom('+254700000061', { idempotencyKey }));
  const recorded = await opened.recordOnly(aRequestFrom('+254700000061'));
  await lose(async () => {
    await current().payments.settled(recorded.id);
  });
  await opened.sweepLostTime();
  expect(await current().payments.settled(recorded.id)).toMatchObject({ state: 'needs_review' });
  const { id, state } = await ask('order 2');
  expect(state).toBe('needs_review');
  const decision = { state: 'failed', by: 'jane', note: 'it is of order 1' } as const;
  await current().payments.resolve(id, decision);
  expect(await ask('order 1, again')).toMatchObject({ state: 'needs_review' });
  expect(charges()).toBe(1);
});

it('Money without a reference is known by its id: a decision on it releases no other money', async () => {
  const ask = (value: string, idempotencyKey: string): Promise<Payment> => {
    const amount = { currency: 'KES', value };
    return current().payments.request(aRequestFrom('+254700000041', { idempotencyKey, amount }));
  };
  await lose(async () => {
    for (const value of ['100.00', '250.00'])
      await current().payments.settled((await ask(value, `order of ${value}`)).id);
  });
  await opened.sweepLostTime();
  const pool = poolOf(opened.database.url, { max: 1 });
  await pool.query(`update tillkit.transaction set sums = (
    select jsonb_agg(jsonb_set(sum, '{received,reference}', 'null')) from jsonb_array_elements(sums) as sum)`);
  await pool.end();
  const { id } = await ask('100.00', 'another order');
  await current().payments.resolve(id, {
    state: 'failed',
    by: 'jane',
    note: 'sold at the counter',
  });
  expect(await ask('250.00', 'order of 250.00')).toMatchObject({ state: 'needs_review' });
  expect(charges()).toBe(2);
});

it('A payment that the restore doubts gets no money by its amount and time, because nobody knows when it was sent', async () => {
  await opened.stop();
  const { reference } = await opened.simulator.payTill({
    tillNumber: '514459',
    phoneNumber: '+254700000002',
    amount: 100,
  });
  await opened.simulator.clock.advance(40 * MINUTE);
  const { id } = await opened.recordOnly(aRequestFrom('+254700000002'));
  await lose(async () => {
    expect((await current().payments.settled(id)).state).toBe('failed');
  });
  await opened.sweepLostTime();
  const settled = await current().payments.settled(id);
  expect(settled).toMatchObject({ state: 'needs_review', transaction: null });
  expect(settled.causeDetail).toContain(reference);
});

it.each([-3, 3])(
  "A customer who has paid in the lost time is not asked again when the database's clock is %s minutes ahead of that of who restores it",
  async (minutes) => {
    await opened.stop();
    const pool = poolOf(opened.database.url, { max: 1 });
    await pool.query(`create or replace function tillkit.clock() returns timestamptz language sql volatile parallel safe
      as $$ select clock_timestamp() + interval '${minutes} minutes' $$`);
    await pool.end();
    await opened.start();
    const request = aRequestFrom('+254700000041');
    await lose(async () => {
      await current().payments.settled((await current().payments.request(request)).id);
    });
    await opened.sweepLostTime();
    expect(await current().payments.request(request)).toMatchObject({ state: 'needs_review' });
    expect(charges()).toBe(1);
  },
);

it('A payment that was recorded before the lost time and sent in it is not sent again, and a person decides', async () => {
  const { id } = await opened.recordOnly(aRequestFrom('+254700000051'));
  await lose(async () => {
    await current().payments.settled(id);
  });
  expect(charges()).toBe(1);
  expect(await current().payments.find(id)).toMatchObject({ state: 'unknown' });
  await opened.sweepLostTime();
  expect(await current().payments.settled(id)).toMatchObject({
    state: 'needs_review',
    cause: 'ambiguous',
  });
  expect(charges()).toBe(1);
});

it('Lost money is not given to an older attempt, so that the attempt that it is for is not charged again', async () => {
  const { id } = await opened.recordOnly(
    aRequestFrom('+254700000041', { idempotencyKey: 'attempt 1' }),
  );
  const second = aRequestFrom('+254700000041', { idempotencyKey: 'attempt 2' });
  await lose(
    async () => {
      expect(await current().payments.settled(id)).toMatchObject({ reason: 'not_sent' });
      const { id: other } = await current().payments.request(second);
      expect(await current().payments.settled(other)).toMatchObject({ state: 'succeeded' });
    },
    () => letTimePass(opened.database.url, 2 * MINUTE),
  );
  await opened.sweepLostTime();
  expect(await current().payments.settled(id)).toMatchObject({ state: 'needs_review' });
  expect(await current().payments.request(second)).toMatchObject({ state: 'needs_review' });
  expect(charges()).toBe(1);
});

it('Money whose payer the platform does not show stops the request that it may be for, for a day', async () => {
  const request = aRequestFrom('+254700000041');
  await lose(async () => {
    const { id } = await current().payments.request(request);
    await current().payments.settled(id);
  });
  await opened.sweepLostTime();
  const pool = poolOf(opened.database.url, { max: 1 });
  await pool.query(`update tillkit.transaction set payer_hash = null, sums = (
    select jsonb_agg(sum || '{"payerHash": null}') from jsonb_array_elements(sums) as sum)`);
  await pool.end();
  expect(await current().payments.request(request)).toMatchObject({ state: 'needs_review' });
  expect(charges()).toBe(1);
  await opened.pass(25 * 60 * MINUTE);
  await opened.start();
  const { id } = await current().payments.request(aRequestFrom('+254700000061'));
  expect(await current().payments.settled(id)).toMatchObject({ state: 'succeeded' });
});

it('A person who ends a pause of his own does not end that of the restore', async () => {
  const request = aRequestFrom('+254700000041');
  await opened.accounts.pause({ account: 'default', by: 'peter', note: 'database trouble' });
  await lose(async () => {
    await opened.accounts.resume({ account: 'default', by: 'peter', note: 'all is well' });
    const { id } = await current().payments.request(request);
    await current().payments.settled(id);
  });
  await opened.accounts.resume({ account: 'default', by: 'peter', note: 'the database is back' });
  await expect(current().payments.request(request)).rejects.toThrow(/restored/);
  expect(charges()).toBe(1);
});

it.each([-40, 40])(
  "A customer who has paid in the lost time is not asked again when the platform's clock is %s minutes ahead of the database's",
  async (minutes) => {
    await opened.stop();
    if (minutes > 0) await opened.simulator.clock.advance(minutes * MINUTE);
    else await letTimePass(opened.database.url, minutes * MINUTE);
    await opened.start();
    const request = aRequestFrom('+254700000041');
    await lose(async () => {
      const { id } = await current().payments.request(request);
      expect(await current().payments.settled(id)).toMatchObject({ state: 'succeeded' });
    });
    await opened.sweepLostTime();
    expect(await current().payments.request(request)).toMatchObject({ state: 'needs_review' });
    expect(charges()).toBe(1);
  },
);

it('A second restore an hour later does not forget the money that the first one has lost', async () => {
  const request = aRequestFrom('+254700000041');
  await lose(async () => {
    const { id } = await current().payments.request(request);
    await current().payments.settled(id);
  });
  await opened.sweepLostTime();
  await opened.pass(60 * MINUTE);
  await opened.start();
  await lose(async () => {});
  await opened.sweepLostTime();
  expect(await current().payments.request(request)).toMatchObject({ state: 'needs_review' });
  expect(charges()).toBe(1);
});

it('After the lost time was swept, other customers pay as before', async () => {
  await lose(async () => {});
  await opened.sweepLostTime();
  const { id } = await current().payments.request(aRequest());
  expect(await current().payments.settled(id)).toMatchObject({ state: 'succeeded' });
});

it('After a restore, a supplier is not paid again before a person has compared the payouts, even if the backup has none', async () => {
  const payout = aPayout();
  const value = '5000.00';
  await current().payments.request(aRequest({ amount: { currency: 'KES', value } }));
  await current().received.next('payment.succeeded');
  await lose(async () => {
    const { id } = await current().payouts.request(payout);
    await current().payouts.settled(id);
  });
  await opened.sweepLostTime();
  await expect(current().payouts.request(payout)).rejects.toMatchObject({
    code: 'PAYMENTS_SENDING_PAUSED',
  });
  // A click on a page that showed the pause of a person, or of everything, meanwhile.
  const person = { account: 'default', by: 'jane', note: 'compared with the portal' };
  const seen = new Date();
  await opened.accounts.resume(person);
  await opened.accounts.resume({ ...person, restore: 'everything', seen });
  await expect(current().payouts.request(payout)).rejects.toThrow(
    /restored .*resume\(\{ restore: 'money-out'/,
  );
  await expect(opened.accounts.resume({ ...person, restore: 'money-out' })).rejects.toThrow(
    /seen must be a Date/,
  );
  await opened.accounts.resume({ ...person, restore: 'money-out', seen });
  const { id } = await current().payouts.request(aPayout({ idempotencyKey: 'not paid yet' }));
  expect(await current().payouts.settled(id)).toMatchObject({ state: 'succeeded' });
});

it('After a restore, money of a recorded payment that two sums fitted stays its own while a person decides', async () => {
  const ask = (idempotencyKey: string): Promise<Payment> =>
    current().payments.request(aRequestFrom('+254700000061', { idempotencyKey }));
  const first = await opened.recordOnly(aRequestFrom('+254700000061'));
  let reference = '';
  await lose(async () => {
    await current().payments.settled(first.id);
    const other = await current().payments.settled((await ask('order X')).id);
    reference = other.transaction?.reference ?? '';
  });
  await opened.sweepLostTime();
  expect(await current().payments.settled(first.id)).toMatchObject({
    state: 'needs_review',
    causeDetail: expect.stringMatching(/^transactions \S+, \S+ fit this payment$/),
  });
  const x = await ask('order X');
  const person = { by: 'jane', note: 'seen in the portal' };
  await current().payments.resolve(x.id, { state: 'succeeded', ...person, reference });
  const second = await ask('order 2');
  await current().payments.resolve(second.id, { state: 'failed', ...person });
  expect((await ask('order 1, again')).state).toBe('needs_review');
  expect(charges()).toBe(2);
});

it('After a restore, money that a person has said to be for nothing stops no later payment, also if a recorded payment was in review because of it', async () => {
  const recorded = await opened.recordOnly(aRequestFrom('+254700000061'));
  await lose(async () => {
    await current().payments.settled(recorded.id);
  });
  await opened.sweepLostTime();
  const doubted = await current().payments.settled(recorded.id);
  expect(doubted.state).toBe('needs_review');
  const decision = { state: 'failed', by: 'jane', note: 'it was for nothing' } as const;
  await current().payments.resolve(doubted.id, decision);
  const request = aRequestFrom('+254700000061', { idempotencyKey: 'tomorrow' });
  const { id } = await current().payments.request(request);
  expect((await current().payments.settled(id)).state).toBe('succeeded');
});

it('After a restore, money for a payment link that nobody remembers is not given to another payment', async () => {
  let platformId = '';
  await lose(async () => {
    const { id } = await current().links.request({
      idempotencyKey: 'order L',
      amount: { currency: 'KES', value: '100.00' },
      paymentReference: 'order L',
    });
    await until(
      async () => (platformId = (await current().links.find(id))?.platformId ?? '') !== '',
    );
  });
  await opened.sweepLostTime();
  await opened.pass(20 * MINUTE);
  await opened.start();
  // The answer to another order of the same customer is lost, and nobody was asked.
  opened.simulator.faults.once('create-408', { resource: 'incoming_payments' }, { commits: false });
  const { id } = await current().payments.request(aRequestFrom('+254700000041'));
  await opened.simulator.payLink(platformId, { phoneNumber: '+254700000041' });
  await opened.simulator.idle();
  await opened.pass(20 * MINUTE);
  await opened.start();
  await current().app.get(SweepsService).sweep();
  expect(await current().payments.settled(id)).toMatchObject({
    state: 'needs_review',
    cause: 'ambiguous',
  });
});

it('After a restore, a refund that went through in the lost time is learnt before it can be sent again', async () => {
  const { id } = await current().payments.request(aRequestFrom('+254700000041'));
  expect(await current().payments.settled(id)).toMatchObject({ state: 'succeeded' });
  await opened.pass(60 * MINUTE);
  await opened.start();
  await current().app.get(SweepsService).sweep();
  const refund = { idempotencyKey: 'refund 1', paymentId: id, why: 'out of stock' };
  await lose(async () => {
    const { id: refundId } = await current().refunds.request(refund);
    expect(await current().refunds.settled(refundId)).toMatchObject({ state: 'succeeded' });
  });
  await opened.sweepLostTime();
  await until(async () => (await current().payments.find(id))?.state === 'reversed');
  await expect(current().refunds.request(refund)).rejects.toMatchObject({
    code: 'PAYMENTS_NOT_REFUNDABLE',
  });
});

it('After a restore, money that the platform lists late stays that of the recorded payment that waits for a person', async () => {
  const ask = (idempotencyKey: string): Promise<Payment> =>
    current().payments.request(aRequestFrom('+254700000061', { idempotencyKey }));
  const first = await opened.recordOnly(aRequestFrom('+254700000061'));
  const sentAt = opened.simulator.clock.now();
  const { at, restore } = await opened.backUp();
  await restore();
  await opened.noteRestore(at);
  await opened.start();
  await opened.sweepLostTime();
  await opened.pass(25 * 60 * MINUTE);
  await opened.start();
  expect(await current().payments.settled(first.id)).toMatchObject({ cause: 'no_evidence' });
  await opened.simulator.payTill({
    tillNumber: '514459',
    phoneNumber: '+254700000061',
    amount: 100,
    originatedAt: sentAt + MINUTE,
  });
  // The sweep for what the platform lists late.
  await opened.pass(7 * 60 * MINUTE);
  await opened.start();
  await current().app.get(SweepsService).sweep();
  const second = await ask('order 2');
  expect(second.state).toBe('needs_review');
  const decision = { state: 'failed', by: 'jane', note: 'it is of order 1' } as const;
  await current().payments.resolve(second.id, decision);
  expect((await ask('order 1, again')).state).toBe('needs_review');
  expect((await current().payments.find(first.id))?.state).toBe('needs_review');
});
