import { Injectable, type OnModuleInit } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { PaymentsService, PayoutsService } from '@tillkit/payments';
import { PostgresStore } from '@tillkit/postgres';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import {
  freshDatabase,
  PATIENT,
  snapshotOf,
  type TestDatabase,
} from '../contracts/test-database.js';
import { aPayout, aRequestFrom, Merchant } from '../support/merchant.js';
import { requestsTo } from '../support/platform.requests.js';
import { until } from '../support/until.js';

/** What each start of the host was answered. */
let answers: string[];

/** A host that asks again, while it starts, for what it has not seen paid. */
@Injectable()
class EagerOrders implements OnModuleInit {
  constructor(
    private readonly payments: PaymentsService,
    private readonly payouts: PayoutsService,
  ) {}

  async onModuleInit(): Promise<void> {
    const request = aRequestFrom('+254700000041', { idempotencyKey: 'order 1' });
    answers.push(await answerOf(this.payments.request(request)));
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

const payouts = (): number => requestsTo(simulator, '/send_money', { method: 'POST' }).length;

async function withStore<T>(work: (store: PostgresStore) => Promise<T>): Promise<T> {
  const options = { ...PATIENT, connectionString: database.url, poolSize: 4 };
  const store = new PostgresStore(options);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Starts the application, and stops it when the platform has answered. */
function startOnce(): Promise<void> {
  return withStore(async (store) => {
    const merchant = await Merchant.open({
      shared: simulator,
      payments: { store, reconciliation: { scheduleMs: [20], intervalMs: 20 } },
      providers: [EagerOrders],
    });
    await simulator.idle();
    await merchant.close();
  });
}

it('A host that asks again while it starts charges and pays nobody twice, also when the backup does not know its account', async () => {
  await withStore((store) => store.init());
  const at = new Date();
  const { restore } = await snapshotOf(database);
  await startOnce();
  await until(() => simulator.charges().length === 1);
  expect(payouts()).toBe(1);
  await restore();
  await withStore((store) => store.restores.begin(at, 'jane'));
  await startOnce();
  expect(answers.slice(2)).toEqual(['PAYMENTS_SENDING_PAUSED', 'PAYMENTS_SENDING_PAUSED']);
  expect(simulator.charges()).toHaveLength(1);
  expect(payouts()).toBe(1);
});
