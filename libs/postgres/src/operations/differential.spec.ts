import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { MemoryStore, type PaymentsStore } from '@tillkit/payments/internal/store';
import { RandomCalls, type Call } from '../../../../test/contracts/random.calls.js';
import {
  freshDatabase,
  PATIENT,
  type TestDatabase,
} from '../../../../test/contracts/test-database.js';
import { poolOf } from '../../../../test/support/pool.js';
import { PostgresStore } from '../postgres.store.js';

/** `SEEDS=200 FROM=1000 npm test -- differential` runs other seeds. */
const SEEDS = Number(process.env['SEEDS'] ?? 6);
const FROM = Number(process.env['FROM'] ?? 1);
const CALLS = 150;
const MAX_PRINTED = 12;

describe('the store in memory and the store in PostgreSQL', () => {
  let now = Date.UTC(2026, 0, 20, 12);
  let database: TestDatabase;
  let pool: pg.Pool;
  let postgres: PostgresStore;

  /** Both stores have the same clock. */
  const moveClock = async (ms: number): Promise<void> => {
    now += ms;
    await pool.query('update tillkit.test_clock set at = to_timestamp($1::float8 / 1000)', [now]);
  };

  beforeAll(async () => {
    database = await freshDatabase();
    pool = poolOf(database.url, { max: 1 });
    await pool.query('create table tillkit.test_clock as select clock_timestamp() as at');
    await pool.query(
      `create or replace function tillkit.clock() returns timestamptz language sql volatile parallel safe
       as 'select at from tillkit.test_clock'`,
    );
    await moveClock(0);
    postgres = new PostgresStore({ ...PATIENT, connectionString: database.url });
    await postgres.init();
  });
  afterAll(async () => {
    await pool.end();
    await postgres.close();
    await database.drop();
  });

  const answers = async (call: Call, store: PaymentsStore): Promise<unknown> => {
    try {
      return JSON.parse(JSON.stringify((await call.run(store)) ?? null));
    } catch (error) {
      return (error as Error).name;
    }
  };

  it.each(Array.from({ length: SEEDS }, (_, n) => FROM + n))(
    'answer the same calls in the same way (seed %d)',
    async (seed) => {
      const memory = new MemoryStore(() => now);
      const calls = new RandomCalls(seed, memory, () => now);
      const trace: string[] = [];
      for (let n = 0; n <= CALLS; n += 1) {
        const call = n === CALLS ? calls.all() : await calls.draw();
        trace.push(`${new Date(now).toISOString()} ${call.name}`);
        const inMemory = await answers(call, memory);
        const inPostgres = await answers(call, postgres);
        expect({ trace: trace.slice(-MAX_PRINTED), answer: inPostgres }).toEqual({
          trace: trace.slice(-MAX_PRINTED),
          answer: inMemory,
        });
        await moveClock(call.thenMs);
      }
    },
  );
});
