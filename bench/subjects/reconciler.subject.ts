/** A replica that reads the status of due payments, and counts its database queries. */
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
  /** Polls for due payments, one statement each. */
  polls: number;
  /** All statements about payments, including the polls. */
  queries: number;
  /** Total duration of the polls in milliseconds. */
  pollMs: number;
  rssMb: number;
}

const { databaseUrl, baseUrl, requestsPerSecond } = settingsOf<ReconcilerSettings>();
const counts = { polls: 0, queries: 0, pollMs: 0 };

/** Polls of other work loops, which are not counted. */
const OTHER_POLLS = /claim_deliveries|claim_calls/;
const POLL = /claim_due_operations/;

type Query = (...args: unknown[]) => unknown;

/** Counts every query before it sends it. */
class CountingClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const query = this.query.bind(this) as Query;
    this.query = ((...args: unknown[]) => {
      const answer = query(...args);
      count(args[0] as string | { text: string }, answer);
      return answer;
    }) as pg.Client['query'];
  }
}

function count(query: string | { text: string }, answer: unknown): void {
  const text = typeof query === 'string' ? query : query.text;
  if (OTHER_POLLS.test(text)) return;
  counts.queries += 1;
  if (!POLL.test(text)) return;
  counts.polls += 1;
  const startedAt = performance.now();
  void Promise.allSettled([answer]).then(() => {
    counts.pollMs += performance.now() - startedAt;
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
