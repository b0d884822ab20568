export const DEFAULT_ACCOUNT = 'default';
export const DEFAULT_PATH = 'payments';
export const DEFAULT_CHANNEL = 'M-PESA STK Push';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** No option sets these limits: they protect a process from what others send. */
export const LIMITS = {
  webhookBytes: 64 * 1024,
  /** The result of a larger callback is read on the schedule of its operation. */
  callbackBytes: 1024 * 1024,
  /** The store must store a delivery in this time. After it, the delivery is answered 503. */
  storeMs: 5 * SECOND,
  answerBytes: 8 * 1024 * 1024,
  /** The answer to a polling request lists all transactions of its window. */
  pollingResultBytes: 80 * 1024 * 1024,
} as const;

/** Every default of `PaymentsOptions`, in one place. */
export const DEFAULTS = {
  background: true,
  apiVersions: { webhookSubscriptions: 'v1', polling: 'v2', incomingPayments: 'v2' },
  http: {
    createTimeoutMs: 30 * SECOND,
    readTimeoutMs: 10 * SECOND,
    maxSockets: 50,
  },
  sending: { sendBeforeMs: 60 * SECOND },
  reconciliation: {
    scheduleMs: [20 * SECOND, 45 * SECOND, 90 * SECOND, 3 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR],
    reviewAfterMs: DAY,
    intervalMs: 5 * SECOND,
    sweepEveryMs: 15 * MINUTE,
    requestsPerSecond: 5,
    sweepScope: { scope: 'company', scopeReference: '' },
  },
  listeners: {
    concurrency: 50,
    // 77 hours in total: a team can repair on Monday a listener that broke on Friday evening.
    retryScheduleMs: [
      SECOND,
      5 * SECOND,
      30 * SECOND,
      2 * MINUTE,
      10 * MINUTE,
      30 * MINUTE,
      HOUR,
      3 * HOUR,
      8 * HOUR,
      16 * HOUR,
      24 * HOUR,
      24 * HOUR,
    ],
    timeoutMs: 2 * MINUTE,
    leaseMs: 30 * SECOND,
  },
  deliveries: {
    bodyTimeoutMs: 10 * SECOND,
    unmatchedForMs: 10 * MINUTE,
    acceptedStatuses: {},
  },
  retention: { personalDataMs: 90 * DAY, dedupeForMs: 5 * 365 * DAY, everyMs: HOUR },
  telemetry: { accountInMetrics: false },
} as const;
