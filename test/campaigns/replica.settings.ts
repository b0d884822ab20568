import type { ReconciliationOptions } from '@tillkit/payments';

/** What a phase may set otherwise than the others. */
export interface ReplicaTuning {
  /** Share of listener calls that throw before, throw after, or hang. */
  listenerFaults: number;
  tillAliases: Record<string, string>;
  statementTimeoutMs: number;
  sendBeforeMs: number;
  reconciliation: ReconciliationOptions;
}

/** What the campaign tells a replica through its environment. */
export interface ReplicaSettings extends ReplicaTuning {
  name: string;
  port: number;
  /** For the store: perhaps through a proxy that cuts it off. */
  databaseUrl: string;
  /** For the host's own tables and what listeners write: never cut off, so that nothing received is forgotten. */
  eventsUrl: string;
  platform: 'express' | 'fastify';
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  apiKey: string;
  publicUrl: string;
}

/** Everything that waits is quick, so that a campaign of hours on the clock takes minutes. */
export const QUICK: ReplicaTuning = {
  listenerFaults: 0,
  tillAliases: {},
  statementTimeoutMs: 15_000,
  sendBeforeMs: 10_000,
  reconciliation: {
    scheduleMs: [1_000, 2_000, 3_000],
    intervalMs: 200,
    reviewAfterMs: 24 * 3_600_000,
    sweepEveryMs: 4_000,
    requestsPerSecond: 200,
  },
};

/** What a listener of a replica received, as it tells the campaign at once. */
export interface ReceivedMessage {
  name: string;
  subject: string;
}
