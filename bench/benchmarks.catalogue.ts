import type { Benchmark } from './benchmark.js';
import { backlog } from './backlog.benchmark.js';
import { capacity } from './capacity.benchmark.js';
import { coldToken } from './cold-token.benchmark.js';
import { createsBenchmark } from './creates.benchmark.js';
import { dashboardPages } from './dashboard-pages.benchmark.js';
import { deliveriesInMemory } from './deliveries-in-memory.benchmark.js';
import { deliveriesInPostgres } from './deliveries-in-postgres.benchmark.js';
import { dispatch } from './dispatch.benchmark.js';
import { endurance } from './endurance.benchmark.js';
import { eventLatency } from './event-latency.benchmark.js';
import { finishedRows } from './finished-rows.benchmark.js';
import { accounts } from './accounts.benchmark.js';
import { idle } from './idle.benchmark.js';
import { killedReplica } from './killed-replica.benchmark.js';
import { network } from './network.benchmark.js';
import { paymentRequests } from './payment-requests.benchmark.js';
import { pollingResult } from './polling-result.benchmark.js';
import { processedWebhooks } from './processed-webhooks.benchmark.js';
import { reconciliation } from './reconciliation.benchmark.js';
import { replicas } from './replicas.benchmark.js';
import { startUp } from './start-up.benchmark.js';
import { pacedPayments, wholePayments } from './whole-payments.benchmark.js';

/** Every benchmark, in the order in which they run. */
export const BENCHMARKS: readonly Benchmark[] = [
  wholePayments,
  pacedPayments,
  capacity,
  deliveriesInMemory,
  deliveriesInPostgres,
  processedWebhooks,
  createsBenchmark,
  paymentRequests,
  coldToken,
  pollingResult,
  eventLatency,
  dispatch,
  network,
  replicas,
  killedReplica,
  backlog,
  reconciliation,
  idle,
  accounts,
  startUp,
  finishedRows,
  dashboardPages,
  endurance,
];
