import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { SweepsService, type Payment } from '@tillkit/payments';
import { PostgresStore } from '@tillkit/postgres';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import {
  freshDatabase,
  PATIENT,
  snapshotOf,
  type TestDatabase,
} from '../contracts/test-database.js';
import { aPayout, aRequest, aRequestFrom, Merchant } from '../support/merchant.js';
import { EXPRESS } from '../support/platforms.js';
import { poolOf } from '../support/pool.js';
import { until } from '../support/until.js';

const MINUTE = 60_000;

let database: TestDatabase;
let simulator: Simulator;
let merchant: Merchant | null;
let store: PostgresStore;

beforeEach(async () => {
  simulator = await Simulator.start({ timings: INSTANT_TIMINGS, seed: 1 });
  database = await freshDatabase();
  await start();
});
afterEach(async () => {
  await stop();
  await database.drop();
  await simulator.stop();
});

async function start(background = true): Promise<Merchant> {
  store = new PostgresStore({ ...PATIENT, connectionString: database.url, poolSize: 4 });
  merchant = await Merchant.open({
    platform: EXPRESS,
    shared: simulator,
    payments: {
      store,
      background,
      reconciliation: { scheduleMs: [20], intervalMs: 20, requestsPerSecond: 1_000 },
    },
  });
  return merchant;
}

/** The application ends, and with it its connections. */
async function stop(): Promise<void> {
  await merchant?.close();
  merchant = null;
  await store.close();
}

/** What happens in the lost time, from a copy of the database to the restore of it. */
async function lose(work: () => Promise<void>): Promise<void> {
  await stop();
  const at = new Date();
  const snapshot = await snapshotOf(database);
  await start();
  await work();
  await stop();
  await snapshot.restore();
  store = new PostgresStore({ ...PATIENT, connectionString: database.url, poolSize: 1 });
  await store.restores.begin(at, 'jane');
  await store.close();
  await start();
}

/** Until sweeps have read the lost time, and fifteen minutes more. */
async function sweepLostTime(): Promise<void> {
  await simulator.clock.advance(17 * MINUTE);
  await stop();
  const { app } = await start();
  await until(async () => {
    await app.get(SweepsService).sweep();
    return (await store.traffic.hindrance('default')).pause === null;
  });
}

const charges = (): number => simulator.charges().length;
const current = (): Merchant => merchant as Merchant;

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
  await sweepLostTime();
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
}, 60_000);

it('A customer whose lost money was for something else, as a person decides, pays again without another review', async () => {
  const request = aRequestFrom('+254700000061');
  await lose(async () => {
    const { id } = await current().payments.request(request);
    await current().payments.settled(id);
  });
  await sweepLostTime();
  const { id } = await current().payments.request(request);
  await current().payments.resolve(id, { state: 'failed', by: 'jane', note: 'another order' });
  await current().received.next('payment.failed');
  const again = await current().payments.request({ ...request, idempotencyKey: 'another order' });
  expect(await current().payments.settled(again.id)).toMatchObject({ state: 'succeeded' });
}, 60_000);

it('A payment that was recorded before the lost time and sent in it is found, and not sent again', async () => {
  await stop();
  const { payments } = await start(false);
  const pool = poolOf(database.url, { max: 1 });
  const client = await pool.connect();
  await client.query('begin');
  const { id } = await payments.record(aRequestFrom('+254700000051'), { transaction: client });
  await client.query('commit');
  client.release();
  await pool.end();
  await lose(async () => {
    await current().payments.settled(id);
  });
  expect(charges()).toBe(1);
  expect(await current().payments.find(id)).toMatchObject({ state: 'unknown' });
  await sweepLostTime();
  expect(await current().payments.settled(id)).toMatchObject({ state: 'succeeded' });
  expect(charges()).toBe(1);
}, 60_000);

it('After the lost time was swept, other customers pay as before', async () => {
  await lose(async () => {});
  await sweepLostTime();
  const { id } = await current().payments.request(aRequest());
  expect(await current().payments.settled(id)).toMatchObject({ state: 'succeeded' });
}, 60_000);

it('After a restore, a supplier is not paid again before a person has compared the payouts', async () => {
  const payout = aPayout({ allowParallel: true });
  await current().payouts.request(aPayout({ idempotencyKey: 'before' }));
  await lose(async () => {
    await current().payouts.request(payout);
  });
  await simulator.clock.advance(17 * MINUTE);
  await stop();
  const { app, payouts } = await start();
  await app.get(SweepsService).sweep();
  await expect(payouts.request(payout)).rejects.toMatchObject({ code: 'PAYMENTS_SENDING_PAUSED' });
}, 60_000);
