import type { Benchmark } from './benchmark.js';
import { capacity } from './capacity.benchmark.js';
import { createsBenchmark } from './creates.benchmark.js';
import { dashboardPages } from './dashboard-pages.benchmark.js';
import { deliveriesInPostgres } from './deliveries-in-postgres.benchmark.js';
import { eventLatency } from './event-latency.benchmark.js';
import { finishedRows } from './finished-rows.benchmark.js';
import { accounts } from './accounts.benchmark.js';
import { paymentRequests } from './payment-requests.benchmark.js';
import { processedWebhooks } from './processed-webhooks.benchmark.js';
import { replicas } from './replicas.benchmark.js';
import { startUp } from './start-up.benchmark.js';
import { pacedPayments, wholePayments } from './whole-payments.benchmark.js';

/** Every benchmark, in the order in which they run. */
export const BENCHMARKS: readonly Benchmark[] = [
  wholePayments,
  pacedPayments,
  capacity,
  deliveriesInPostgres,
  processedWebhooks,
  createsBenchmark,
  paymentRequests,
  eventLatency,
  replicas,
  accounts,
  startUp,
  finishedRows,
  dashboardPages,
];
