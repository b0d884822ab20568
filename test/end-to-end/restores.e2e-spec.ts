import { Injectable, type OnModuleInit } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  PaymentsAccounts,
  PaymentsService,
  PayoutsService,
  SweepsService,
} from '@tillkit/payments';
import { PostgresStore } from '@tillkit/postgres';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import {
  freshDatabase,
  letTimePass,
  PATIENT,
  snapshotOf,
  type TestDatabase,
} from '../contracts/test-database.js';
import { aPayout, aRequest, aRequestFrom, Merchant } from '../support/merchant.js';
import { requestsTo } from '../support/platform.requests.js';
import { poolOf } from '../support/pool.js';
import { until } from '../support/until.js';

const MINUTE = 60_000;
const PERSON = { by: 'peter', note: 'compared with the portal' };

/** The answers to a host that asks, each time it starts, for what it has not seen paid. */
let answers: string[];

@Injectable()
class EagerOrders implements OnModuleInit {
  constructor(
    private readonly payments: PaymentsService,
    private readonly payouts: PayoutsService,
  ) {}

  async onModuleInit(): Promise<void> {
    const order = aRequestFrom('+254700000041', { idempotencyKey: 'order 1' });
    answers.push(await answerOf(this.payments.request(order)));
    answers.push(await answerOf(this.payouts.request(aPayout({ idempotencyKey: 'wages' }))));
  }
}

function answerOf(asked: Promise<{ state: string }>): Promise<string> {
  return asked.then(
    ({ state }) => state,
    (error: { code: string }) => error.code,
  );
}

let simulator: Simulator;
let database: TestDatabase;

beforeEach(async () => {
  answers = [];
  simulator = await Simulator.start({ timings: INSTANT_TIMINGS, seed: 1 });
  database = await freshDatabase();
});
afterEach(async () => {
  await database.drop();
  await simulator.stop();
});

const charges = (): number => simulator.charges().length;
const payouts = (): number => requestsTo(simulator, '/send_money', { method: 'POST' }).length;

async function withStore<T>(work: (store: PostgresStore) => Promise<T>): Promise<T> {
  const store = new PostgresStore({ ...PATIENT, connectionString: database.url, poolSize: 4 });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

interface RunOptions {
  background?: boolean;
  isEager?: boolean;
  /** Payouts of so much need an approval. */
  approveFrom?: string;
}

/** The application starts, works, and stops: nobody may be connected to a database that is copied or restored. */
function run(
  work: (merchant: Merchant) => Promise<void>,
  { background = true, isEager = false, approveFrom }: RunOptions = {},
): Promise<void> {
  return withStore(async (store) => {
    const merchant = await Merchant.open({
      shared: simulator,
      speed: 5,
      payments: {
        store,
        background,
        ...(approveFrom !== undefined && { payouts: { limits: { KES: { approveFrom } } } }),
        reconciliation: { scheduleMs: [20], intervalMs: 20 },
      },
      providers: isEager ? [EagerOrders] : [],
    });
    try {
      await work(merchant);
      await simulator.idle();
    } finally {
      await merchant.close();
    }
  });
}

/** Takes a backup, does the work, and restores the backup: the database loses the work. */
async function lose(work: () => Promise<void>): Promise<void> {
  const at = new Date();
  const { restore } = await snapshotOf(database);
  await work();
  await restore();
  await withStore((store) => store.markRestored(at, 'jane'));
}

async function sweep({ app }: Merchant): Promise<void> {
  await app.get(SweepsService).sweep();
}

/** Time passes for the platform and for the database. */
async function pass(ms: number): Promise<void> {
  await simulator.clock.advance(ms);
  await letTimePass(database.url, ms);
}

/** Records a payment and an approved payout, and sends neither. */
async function recordOnly(): Promise<{ payment: string; payout: string }> {
  const recorded = { payment: '', payout: '' };
  const pool = poolOf(database.url, { max: 1 });
  await run(
    async (merchant) => {
      const transaction = await pool.connect();
      await transaction.query('begin');
      const payment = merchant.payments.record(aRequestFrom('+254700000051'), { transaction });
      recorded.payment = (await payment).id;
      const asked = aPayout({ requestedBy: 'Jane' });
      recorded.payout = (await merchant.payouts.record(asked, { transaction })).id;
      await transaction.query('commit');
      transaction.release();
      await merchant.payouts.approve(recorded.payout, { by: 'Mary' });
    },
    { background: false, approveFrom: '0' },
  );
  await pool.end();
  return recorded;
}

it('A payment and an approved payout that were sent in the lost time are read, never sent again, and a person decides', async () => {
  await run(async ({ payments, received }) => {
    await payments.request(aRequest({ amount: { currency: 'KES', value: '5000.00' } }));
    await received.next('payment.succeeded');
  });
  const { payment, payout } = await recordOnly();
  await lose(() =>
    run(async (merchant) => {
      await merchant.payments.settled(payment);
      await merchant.payouts.settled(payout);
    }),
  );
  const sent = { charges: charges(), payouts: payouts() };
  expect(sent).toEqual({ charges: 2, payouts: 1 });
  await pass(31 * MINUTE);
  await run(async (merchant) => {
    await merchant.app.get(PaymentsAccounts).resume(PERSON);
    expect(await merchant.payouts.settled(payout)).toMatchObject({ state: 'needs_review' });
    await expect(merchant.payouts.approve(payout, { by: 'Peter' })).rejects.toMatchObject({
      code: 'PAYMENTS_NOT_APPROVABLE',
    });
    // The money of the payment is there, and nobody knows whether it is that of another attempt: no time of sending is known.
    expect(await merchant.payments.settled(payment)).toMatchObject({
      state: 'needs_review',
      cause: 'no_evidence',
      transaction: null,
    });
  });
  expect({ charges: charges(), payouts: payouts() }).toEqual(sent);
});

it('A host that asks again while it starts charges and pays nobody twice, also when the backup does not know its account', async () => {
  await withStore((store) => store.init());
  await lose(() => run(() => until(() => charges() === 1), { isEager: true }));
  await run(() => Promise.resolve(), { isEager: true });
  expect(answers.slice(2)).toEqual(['PAYMENTS_SENDING_PAUSED', 'PAYMENTS_SENDING_PAUSED']);
  expect(charges()).toBe(1);
});

it('Money of the lost time is learnt while nothing is sent, and customers pay again after a person has resumed', async () => {
  await run(sweep);
  let reference: string | null | undefined;
  await lose(() =>
    run(async ({ payments }) => {
      const { id } = await payments.request(aRequestFrom('+254700000041'));
      reference = (await payments.settled(id)).transaction?.reference;
    }),
  );
  // The platform lists money of this second in the next one.
  await pass(MINUTE);
  await run(async (merchant) => {
    await sweep(merchant);
    const { transaction } = await merchant.received.next('till.transaction.received');
    expect(transaction.reference).toBe(reference);
    await expect(merchant.payments.request(aRequest())).rejects.toThrow(/restored/);
    await merchant.app.get(PaymentsAccounts).resume(PERSON);
    const { id } = await merchant.payments.request(aRequest());
    expect((await merchant.payments.settled(id)).state).toBe('succeeded');
  });
});
