import {
  PaymentsAccounts,
  SweepsService,
  type Payment,
  type PaymentsService,
  type RequestPayment,
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
import { altered, type Alterations } from './altered.store.js';
import { Merchant } from './merchant.js';
import { poolOf } from './pool.js';
import { until } from './until.js';

const MINUTE = 60_000;

/** A merchant whose application stops and starts, and whose database is restored to an earlier state meanwhile. */
export class RestoredMerchant {
  private running: { merchant: Merchant; store: PostgresStore } | null = null;

  private constructor(
    readonly simulator: Simulator,
    readonly database: TestDatabase,
    private readonly alterations: Alterations,
  ) {}

  /** @param alterations of the store */
  static async open(alterations: Alterations = {}): Promise<RestoredMerchant> {
    const simulator = await Simulator.start({ timings: INSTANT_TIMINGS, seed: 1 });
    const opened = new RestoredMerchant(simulator, await freshDatabase(), alterations);
    await opened.start();
    return opened;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.database.drop();
    await this.simulator.stop();
  }

  async start(background = true): Promise<Merchant> {
    const options = { ...PATIENT, connectionString: this.database.url, poolSize: 4 };
    const store = altered(new PostgresStore(options), this.alterations);
    const merchant = await Merchant.open({
      shared: this.simulator,
      speed: 5,
      payments: {
        store,
        background,
        reconciliation: { scheduleMs: [20], intervalMs: 20, requestsPerSecond: 1_000 },
      },
    });
    this.running = { merchant, store };
    return merchant;
  }

  /** The application ends, and with it its connections. */
  async stop(): Promise<void> {
    await this.running?.merchant.close();
    await this.running?.store.close();
    this.running = null;
  }

  /** Stops, and copies the database. The result restores it: then the application must be stopped again. */
  async backUp(): Promise<{ at: Date; restore(): Promise<void> }> {
    await this.stop();
    const at = new Date();
    return { at, ...(await snapshotOf(this.database)) };
  }

  /** What `tillkit restored` does, once for each time. */
  async noteRestore(...times: Date[]): Promise<void> {
    const store = new PostgresStore({
      ...PATIENT,
      connectionString: this.database.url,
      poolSize: 1,
    });
    for (const at of times) await store.restores.begin(at, 'jane');
    await store.close();
  }

  /** Time passes for the platform and for the database, while the application does not run. */
  async pass(ms: number): Promise<void> {
    await this.stop();
    await this.simulator.clock.advance(ms);
    await letTimePass(this.database.url, ms);
  }

  /** Until sweeps have read the lost time, and fifteen minutes more. */
  async sweepLostTime(): Promise<void> {
    await this.pass(17 * MINUTE);
    const { app } = await this.start();
    const { traffic } = this.store;
    await until(async () => {
      await app.get(SweepsService).sweep();
      return (await traffic.hindrance('default')).pause === null;
    });
  }

  /** A payment that is recorded, and not sent because nothing runs in the background. */
  async recordOnly(request: RequestPayment): Promise<Payment> {
    await this.stop();
    const { payments } = await this.start(false);
    const pool = poolOf(this.database.url, { max: 1 });
    const transaction = await pool.connect();
    await transaction.query('begin');
    const payment = await payments.record(request, { transaction });
    await transaction.query('commit');
    transaction.release();
    await pool.end();
    return payment;
  }

  get merchant(): Merchant {
    if (!this.running) throw new Error('the application does not run');
    return this.running.merchant;
  }

  get payments(): PaymentsService {
    return this.merchant.payments;
  }

  get accounts(): PaymentsAccounts {
    return this.merchant.app.get(PaymentsAccounts);
  }

  private get store(): PostgresStore {
    if (!this.running) throw new Error('the application does not run');
    return this.running.store;
  }
}
