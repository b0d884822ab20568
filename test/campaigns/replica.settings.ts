import type { ReconciliationOptions } from '@tillkit/payments/types';

/** Settings that a phase may change. */
export interface ReplicaTuning {
  /** Share of listener calls that throw before, throw after, or hang. */
  listenerFaults: number;
  tillAliases: Record<string, string>;
  statementTimeoutMs: number;
  sendBeforeMs: number;
  reconciliation: ReconciliationOptions;
}

/** The settings of a replica, passed in its environment variables. */
export interface ReplicaSettings extends ReplicaTuning {
  name: string;
  port: number;
  /** The database of the store, through a proxy that can cut connections. */
  databaseUrl: string;
  /** The database of the host's tables and of received events. Its connections are never cut, so that no received event is lost. */
  eventsUrl: string;
  platform: 'express' | 'fastify';
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  apiKey: string;
  publicUrl: string;
}

/** Short waits, so that a campaign takes minutes. */
export const FAST: ReplicaTuning = {
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

/** A message to the campaign: a listener received an event. */
export interface ReceivedMessage {
  name: string;
  subject: string;
}
