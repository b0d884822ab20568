import type { Runtime } from './clock.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/*
 * Every wait, retry, schedule and lease of the library. The values that a host can set are in `payments-defaults.ts`.
 *
 * | what                                   | first wait, growth, limit                          | ends                          |
 * |----------------------------------------|----------------------------------------------------|-------------------------------|
 * | a read or token request that failed    | 0.2 s full jitter, doubles to 5 s                  | 4 attempts, or budget spent   |
 * | the platform answers `Retry-After`     | that time plus up to 20 %, at least 1 s            | reads: an error above 10 s    |
 * | a create refused with 429              | 1 s full jitter, doubles to 5 s                    | setting `sending.sendBeforeMs` |
 * | a create that was not sent             | 0.1 s plus 0.2 s full jitter, doubles to 5 s       | setting `sending.sendBeforeMs` |
 * | a create of `record()` that must wait  | 2 s ± 20 %                                         | setting `sending.sendBeforeMs` |
 * | the circuit breaker opens              | 5 s, doubles to 60 s, after 5 failures in a row    | first answer                  |
 * | the store is unavailable               | 0.1 s plus 0.2 s full jitter, doubles to 5 s       | by the caller's limit         |
 * | a claim of work that failed            | 1 s, doubles to 5 s                                | never                         |
 * | a look for due work, after other work  | 0.5 s, doubles to `reconciliation.intervalMs`;     | never                         |
 * |                                        | earlier if the last look knows what is due earlier |                               |
 * | a look that failed                     | 0.5 s, doubles to 5 s                              | never                         |
 * | a delivery that failed                 | 0.5 s ± 20 %, doubles to 60 s                      | after 24 h: unrecognised      |
 * | a listener call that failed            | setting `listeners.retryScheduleMs`                | dead letter                   |
 * | reads of an open operation             | setting `reconciliation.scheduleMs` ± 20 %         | review after 24 h             |
 * | an open operation without an id        | when a sweep has its whole window                  | review after 30 min           |
 * | reads of a failed operation            | 10 min, and when money fits it                     | after one that is answered    |
 * | reads of an operation in review        | hourly on the first day, then daily                | after 30 days                 |
 * | reads that confirm unsigned webhooks   | at once, then when a webhook is 25 % older         | setting `deliveries.unmatchedForMs` |
 * | sweeps                                 | setting `reconciliation.sweepEveryMs`              | never                         |
 * | a watched payment                      | 0.5 s; 0.25 s doubling to 5 s after a failure      | when it is final              |
 * | rows that another transaction holds    | 5 ms, doubles to 0.2 s (`@tillkit/postgres`)       | a third of `statementTimeoutMs` |
 *
 * | lease                                  | length  | work that must end within it                                  |
 * |----------------------------------------|---------|---------------------------------------------------------------|
 * | a delivery                             | 30 s    | confirming it with the platform (20 s)                        |
 * | a listener call                        | setting `listeners.leaseMs`, renewed after each third of it             |
 * | an operation that is due               | 120 s   | waiting for the rate limiter (60 s) and one read              |
 * | an operation that is to be sent        | 15 s    | none: it is shorter than the time to send (60 s)              |
 * | a planned sweep, a run of retention    | 45 s, renewed after each third of it; nothing is lost when it is done twice |
 * | the right to sweep                     | 25 s, renewed after each third of it                                    |
 * | the right to renew the token           | twice the limit of a token request                                      |
 */

/** For reads and token requests. A create is never repeated this way. */
export const PLATFORM_RETRY = {
  attempts: 4,
  /** The least wait before work that was not sent or not stored is repeated. */
  leastMs: 100,
  baseMs: 200,
  capMs: 5 * SECOND,
  /** A longer `Retry-After` is an error, so that the caller decides. */
  longestRetryAfterMs: 10 * SECOND,
  /** Without a minimum, `Retry-After: 0` would cause hundreds of requests a second. */
  leastRetryAfterMs: SECOND,
} as const;

/** For a create that the platform refused with 429 and without `Retry-After`. */
export const RATE_LIMITED = { baseMs: SECOND, capMs: 5 * SECOND } as const;

/** When the circuit breaker stops background requests, and for how long. */
export const CIRCUIT = {
  failuresToOpen: 5,
  firstPauseMs: 5 * SECOND,
  longestPauseMs: 60 * SECOND,
  /** Longest `Retry-After` that we obey: operations wait for these requests. */
  longestRetryAfterMs: 15 * MINUTE,
} as const;

/**
 * How long a background request of each kind waits for the rate limiter: less than the lease or the limit of its caller. The
 * rate limiter refuses a request that would wait longer, and the caller tries again later. Otherwise requests whose caller has
 * given up would use up the rate.
 */
export const TURN_WITHIN_MS = {
  overdue: 60 * SECOND,
  'follow-up': 60 * SECOND,
  sweep: 120 * SECOND,
  confirmation: 10 * SECOND,
  hint: 10 * SECOND,
} as const;

/** When a process looks for work that is due. */
export const DUE_WORK_FINDER = {
  /** After this process has done what may make other work due. It doubles. */
  firstMs: 500,
  /** While this process is idle, if no account has the setting `reconciliation.intervalMs`. */
  everyMs: 5 * SECOND,
  /** After several looks that failed. */
  longestPauseMs: 5 * SECOND,
  /** Between two looks, however much becomes due. */
  leastMs: 50,
} as const;

export const WORK_LOOP = {
  /** After a claim that failed. */
  firstPauseMs: SECOND,
  longestPauseMs: 5 * SECOND,
  /** While work runs, the loop collects wake-ups for this long: one claim of many items costs the store as much as of one. */
  gatherMs: 5,
  /** How long a stop waits for running work. Another process claims longer work again when its lease ends. */
  drainMs: 10 * SECOND,
} as const;

export const DELIVERY_WORK = {
  /** Short: when the answer to a claim is lost with the connection, no process works on the delivery until the lease ends. */
  leaseMs: 30 * SECOND,
  firstRetryMs: 500,
  longestRetryMs: MINUTE,
  /** A delivery that we or the platform fail to process is retried for as long as an operation waits for evidence. */
  tryForMs: DAY,
  /** Shorter than the lease, and longer than the wait for the rate limiter. */
  confirmWithinMs: 20 * SECOND,
  /** A webhook that waits until another one is confirmed is processed again after this time. */
  confirmNextMs: SECOND,
  /** An unrecognised delivery is processed again this long after a duplicate, and so at most this often. */
  duplicateAgainMs: MINUTE,
  /** `Retry-After` of a 503, in seconds. */
  retryAfterS: 10,
  /** Bytes of all bodies that wait while accounts are loaded again. */
  mostWaitingBytes: 8 * 1024 * 1024,
  /** Bytes of the bodies, or of the payloads, that are worked on at the same time: of all accounts, and of each. */
  mostHeldBytes: 16 * 1024 * 1024,
  mostHeldBytesOfAccount: 8 * 1024 * 1024,
} as const;

export const LISTENER_WORK = {
  /** A call that runs longer is said in the log. */
  slowAfterMs: 10 * SECOND,
  /** How long a process tries to store the outcome of a call. It renews the claim meanwhile, if the store answers. */
  acknowledgeForMs: 10 * MINUTE,
  /** No process has the listener of a call that nobody claimed for this long. */
  missingAfterMs: 10 * MINUTE,
} as const;

export const SENDING = {
  /** The first byte of a create is written unasked until so long after its operation became `requested`. `pause()` waits as long. */
  unaskedMs: SECOND,
  /** A create may still end shortly after its deadline; a `requested` operation counts as abandoned this much later. */
  abandonedAfterMs: 15 * SECOND,
  /** How long a process tries to store the answer to a create. */
  keepAnswerMs: MINUTE,
  /** How long a host's call tries to learn whether its commit of `requested` succeeded. */
  askStoreMs: 10 * SECOND,
  /** So long an operation of `record()` keeps others waiting that could be sent; it is tried again after the same time. */
  holdsOthersMs: 2 * SECOND,
  /** How long a process tries to store that an operation was not sent. */
  keepNotSentMs: 10 * MINUTE,
  /** The longest wait for it: each call of the host in an outage of the store leaves one that waits. */
  longestNotSentMs: 30 * SECOND,
} as const;

/** Operations that are not settled. */
export const OVERDUE_WORK = {
  /** Longer than reading one window takes. */
  leaseMs: 120 * SECOND,
  /** Much shorter than the time to send: when a replica dies before it sends, another replica can still send in time. */
  sendLeaseMs: 15 * SECOND,
  /** When a read fails, the operation is due again after this time, whatever the schedule says; the first time sooner, as money may wait for the answer. */
  retryMs: 15 * SECOND,
  firstRetryMs: 2 * SECOND,
  /** Nothing can be asked about an operation without an id: a person is told this long after it was sent, if no sweep tells sooner. */
  withoutIdMs: 30 * MINUTE,
  /** Spreads operations whose windows end at the same time over twice this time. */
  spreadMs: 30 * SECOND,
  /** An operation whose `Success` shows no transaction is read again after this time. */
  readAgainMs: SECOND,
  /**
   * `Cancelled` is believed when a read says so again this long after its first report was stored: two minutes, the time that a commit may take, and
   * what the platform's clock may be wrong by. The platform may still transfer what it called `Cancelled` a moment ago.
   */
  failureStandsAfterMs: 2 * MINUTE + 20 * SECOND,
  /** When that read is due. */
  readFailureMs: 2 * MINUTE + 25 * SECOND,
} as const;

/** Operations that failed or are in review. */
export const FOLLOW_UP_WORK = {
  leaseMs: 120 * SECOND,
  /** An operation that failed after it was sent is read once more after this time: the customer may have paid anyway. */
  readFailedMs: 10 * MINUTE,
  /** How long we repeat that read while it fails. */
  retryFailedForMs: DAY,
  /** A review that proof can settle is read every hour on the first day, then every day, for 30 days at most. */
  hourlyMs: HOUR,
  dailyMs: DAY,
  followedForMs: 30 * DAY,
  /** Spreads reads that are due at the same time over twice this time. */
  spreadMs: MINUTE,
} as const;

export const SWEEPING = {
  /** The first sweep runs this soon after the start, so that a process that restarts often still sweeps. */
  firstMs: 30 * SECOND,
  /** A recovery sweep reads the last two days again every six hours, for transactions that the platform lists late. */
  recoverMs: 2 * DAY,
  recoverEveryMs: 6 * HOUR,
  /** After a failed sweep, operations that wait for one do not start another for this long. */
  afterFailureMs: MINUTE,
  /** A list may take minutes to be ready. An operation waits only this long for a sweep, so that other operations can proceed. */
  waitedForMs: 10 * SECOND,
  /** Renewed while the sweep runs. Two processes may sweep one window without harm. When a process dies, the others wait this long. */
  leaseMs: 25 * SECOND,
  /** If the process of a planned sweep dies, another one begins it this much later. What is left of it is always more than of the lease above. */
  plannedLeaseMs: 45 * SECOND,
  /** Sweeps wait for the platform most of the time. */
  accountsAtOnce: 20,
  /** Wait between two checks whether the operation that may own a listed transaction has settled. */
  checkAgainMs: SECOND,
} as const;

/** Transactions at a till whose operation has no outcome yet. */
export const TILL_MONEY = {
  /** Callback and webhook of one payment arrive almost together: we read nothing before this age. */
  waitForCallbackMs: 3 * SECOND,
  /**
   * So long a webhook waits for the callback of its payment before it is stored and answered: both come almost together, and after the
   * callback the webhook is stored and processed in one commit.
   */
  waitUnansweredMs: 200,
  /** Ages at which the transaction is processed again. */
  retryAtMs: [400, SECOND, 3 * SECOND, 4_500, 6_500, 10 * SECOND],
  /** The same transaction or callback makes an operation due once in this time, however often the platform reports it. */
  dueAgainMs: DAY,
} as const;

/** How long a transaction may still be matched. Operations and requests that could own it are kept as long. */
export const MATCHED_FOR_MS = 31 * DAY;

/** So long after a payout was paid, another key does not pay it again: a host that got no answer asks again within minutes. */
export const PAID_AGAIN_AFTER_MS = 10 * MINUTE;

export const WATCHING = {
  /** How often all watched operations are read when other replicas may change them. */
  everyMs: 500,
  mostInQuery: 1_000,
  firstRetryMs: 250,
  longestRetryMs: 5 * SECOND,
  /** Default `timeoutMs` of `settled()`. */
  settledWithinMs: 120 * SECOND,
} as const;

export const TOKEN_RENEWAL = {
  /** A token is renewed this long before it expires. */
  marginMs: 60 * SECOND,
  /** After a failed renewal every caller gets the same error for this long, so that callers cannot flood the platform. */
  holdFailureMs: SECOND,
  /** The first wait between two reads of the store while another process renews the token. It doubles: the platform may have asked to wait. */
  readSharedMs: 50,
  longestReadSharedMs: SECOND,
} as const;

/** After a 401 to a create with a new token, the next one of its application and resource is sent so much later. */
export const REFUSED_CREATES = {
  firstMs: SECOND,
  longestMs: 60 * SECOND,
  /** While one is on its way, the others look again so much later. */
  triedMs: 100,
  /** Longest wait until they look again: one may have been accepted. */
  lookAgainMs: SECOND,
} as const;

/** Reads of a polling result until it is ready. */
export const POLLING_RESULT = {
  /** Waits before the reads; the last one repeats. */
  waitsMs: [250, 500, SECOND, 2 * SECOND, 5 * SECOND],
  giveUpAfterMs: 120 * SECOND,
} as const;

export const RETENTION = {
  /** The first run starts this soon after the start, so that a process that restarts often still redacts and deletes. */
  firstMs: 5 * MINUTE,
  /** Renewed while the run goes on. A run may be done twice without harm. */
  leaseMs: 45 * SECOND,
  accountsAtOnce: 2,
} as const;

/** At the end of the application: open streams need a moment to end, else Express waits seconds for them. */
export const STREAMS_END_MS = 5;

/** The log has a line that a request can cause at most this often, for one cause and account. */
export const SELDOM_EVERY_MS = 10 * SECOND;

/** Accounts that the host's source loads. */
export const ACCOUNT_SOURCE = {
  /** How long the source may take: a delivery for the account waits for it. */
  timeoutMs: 5 * SECOND,
  /** If `refreshMs` is not set. */
  refreshMs: 5 * MINUTE,
  /** Between two loads of one account because of a wrong signature. A delivery in between is answered 503. */
  leastReloadMs: SECOND,
  /** Loads of all accounts for deliveries: of names that this process does not know, and because of signatures that are wrong. Each kind has its own. */
  loadsPerSecond: 100,
  /** A name that the source does not have is not asked for again for this long. */
  missingForMs: 30 * SECOND,
  /** Names of accounts that are not open, of which something is known. */
  mostNames: 10_000,
  /** Accounts that are kept, not open, until a delivery for them was verified. */
  mostSeen: 1_000,
  /**
   * No work is looked for of an account that could not be loaded, or that the source does not have: it would hide that of others. Both waits
   * double up to the longest one.
   */
  failedForMs: SECOND,
  longestLeftOutMs: 10 * MINUTE,
} as const;

/** Accounts that were removed while something of them is open. */
export const REMOVED_ACCOUNTS = {
  /** The wait before the first look whether something is open. It doubles: a review may be open for weeks. */
  firstMs: SECOND,
  longestMs: 5 * MINUTE,
  /** If `keepRemovedMs` is not set. */
  keepMs: DAY,
} as const;

/** The start of an application with several accounts. */
export const START = {
  /** How long it waits for the options of all accounts: a factory may read them from a slow service. */
  optionsWithinMs: MINUTE,
} as const;

/** What accounts reserve in the store: their tills and API keys. */
export const ACCOUNT_RESERVATIONS = {
  /** A start waits this long for the store. */
  waitMs: 5 * SECOND,
  /** While the store was away, or while two accounts want the same. */
  againMs: 5 * SECOND,
} as const;

/** Figures about the store, for metrics and health checks. */
export const STATISTICS = {
  /** So long the last answer is used. */
  keptMs: 5 * SECOND,
  /** Or so many times as long as the store took. */
  idleShare: 20,
  readWithinMs: 2 * SECOND,
} as const;

/** For stores: waits before a row that another database transaction locks is tried again; they double. */
export const HELD_ROW = { firstMs: 5, longestMs: 200 } as const;

/** Share of a wait by which it may be longer. */
export const SPREAD = 0.2;

/**
 * A wait and up to 20 % more, so that clients do not all repeat at the same time.
 * @param limitMs what is left of the time in which the work must be done: at least half of what follows the wait stays
 */
export function spread(runtime: Runtime, ms: number, limitMs = Infinity): number {
  return ms + runtime.random() * Math.min(ms * SPREAD, Math.max(0, limitMs - ms) / 2);
}

/** How long to wait after a `Retry-After`. */
export function askedToWaitMs(runtime: Runtime, retryAfterMs: number, limitMs?: number): number {
  return spread(runtime, Math.max(PLATFORM_RETRY.leastRetryAfterMs, retryAfterMs), limitMs);
}

/** Full jitter: a random wait below an exponentially growing limit, so that clients do not all repeat at the same time. */
export function fullJitter(
  runtime: Runtime,
  failures: number,
  { baseMs, capMs }: { baseMs: number; capMs: number } = PLATFORM_RETRY,
): number {
  return runtime.random() * Math.min(capMs, baseMs * 2 ** failures);
}

/** Full jitter after a least wait: for work that may be repeated at once, and must not be repeated without any wait. */
export function jitterAfterLeast(
  runtime: Runtime,
  failures: number,
  capMs: number = PLATFORM_RETRY.capMs,
): number {
  return PLATFORM_RETRY.leastMs + fullJitter(runtime, failures, { ...PLATFORM_RETRY, capMs });
}

/** Exponential backoff: the first wait, doubled for each failure after the first, at most the longest wait. */
export function doubled(firstMs: number, longestMs: number, failures: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(Math.max(0, failures - 1), 20));
}

/**
 * Milliseconds until the next read of an operation that was read `checks` times. The schedule has times since sending; its
 * last wait repeats.
 */
export function nextReadMs(
  scheduleMs: readonly number[],
  checks: number,
  runtime: Runtime,
): number {
  const at = (index: number): number => scheduleMs[index] ?? (scheduleMs.at(-1) as number);
  const wait =
    checks < scheduleMs.length - 1 ? at(checks) - (checks === 0 ? 0 : at(checks - 1)) : at(checks);
  return runtime.jittered(Math.max(0, wait));
}
