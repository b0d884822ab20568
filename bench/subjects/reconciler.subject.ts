/** A replica that asks for what became of payments, and counts what it asks its database. */
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PaymentsModule } from '@tillkit/payments';
import { PostgresStore } from '@tillkit/postgres';
import pg from 'pg';
import { accountOptions } from './payments.application.js';
import { host, settingsOf } from './subject.host.js';

interface ReconcilerSettings {
  databaseUrl: string;
  baseUrl: string;
  requestsPerSecond: number;
}

export interface ReconcilerCounts {
  /** Looks for payments that are due, one statement each. */
  looks: number;
  /** All statements about payments, looks among them. */
  queries: number;
  /** Milliseconds that the looks took, together. */
  lookMs: number;
  rssMb: number;
}

const { databaseUrl, baseUrl, requestsPerSecond } = settingsOf<ReconcilerSettings>();
const counts = { looks: 0, queries: 0, lookMs: 0 };

/** Other loops look for their own work, twice a second. */
const OF_OTHERS = /claim_deliveries|claim_calls/;
const LOOK = /claim_due_operations/;

type Query = (...given: unknown[]) => unknown;

/** Counts on the way to the server, whoever asks. */
class CountingClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const query = this.query.bind(this) as Query;
    this.query = ((...given: unknown[]) => {
      const answer = query(...given);
      count(given[0] as string | { text: string }, answer);
      return answer;
    }) as pg.Client['query'];
  }
}

function count(query: string | { text: string }, answer: unknown): void {
  const text = typeof query === 'string' ? query : query.text;
  if (OF_OTHERS.test(text)) return;
  counts.queries += 1;
  if (!LOOK.test(text)) return;
  counts.looks += 1;
  const startedAt = performance.now();
  void Promise.allSettled([answer]).then(() => {
    counts.lookMs += performance.now() - startedAt;
  });
}

const pool = new pg.Pool({
  connectionString: databaseUrl,
  max: 10,
  Client: CountingClient,
} as pg.PoolConfig);
const store = new PostgresStore({ pool });

@Module({
  imports: [
    PaymentsModule.forRoot(
      accountOptions(baseUrl, {
        store,
        reconciliation: { requestsPerSecond, sweepEveryMs: 0 },
      }),
    ),
  ],
})
class ReconcilerModule {}

const app = await NestFactory.createApplicationContext(ReconcilerModule, { logger: ['error'] });
host(
  {
    counts: (): ReconcilerCounts => {
      globalThis.gc?.();
      return { ...counts, rssMb: process.memoryUsage().rss / 2 ** 20 };
    },
  },
  async () => {
    await app.close();
    await pool.end();
  },
);
