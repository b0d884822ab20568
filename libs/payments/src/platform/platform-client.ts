import type { Permit } from '../work/background-requests.js';
import { answerError, jsonObject } from './http/platform-answer.js';
import {
  movesMoney,
  type AuthorizedRequests,
  type CreatePurpose,
  type Purpose,
} from './http/authorized-requests.js';
import type { PlatformClock } from '../work/platform-clock.js';
import type { PlatformRequest, PlatformResponse } from './http/platform-http.js';
import {
  CircuitOpenError,
  PaymentsError,
  PlatformRateLimitedError,
  PlatformRedirectError,
  PlatformRejectedError,
  PlatformResponseError,
  PlatformTimeoutError,
  PlatformUnauthorizedError,
  PlatformUnavailableError,
  PlatformUnreachableError,
  StoreUnavailableError,
  UnknownOutcomeError,
} from '../payments.errors.js';
import { SendingPausedError } from '../payments-account-errors.js';
import type { CurrentSettings } from '../work/payments.settings.js';
import { askedToWaitMs, fullJitter, jitterAfterLeast, RATE_LIMITED } from '../work/backoff.js';
import { countRetry, RetryBudget, retrySafely } from '../work/retry.js';
import type { Runtime } from '../work/runtime.js';
import type { ShutdownSignal } from '../work/shutdown-signal.js';
import { TimeLimit } from '../work/time-limit.js';
import { identifierFromUrl } from '../money/identifier.js';
import { FailedAttempts } from '../work/failed-attempts.js';
import { tooLateToSend, type CreateOutcome, type Sending } from '../work/sending.js';
import type { TokensService } from './tokens/tokens.service.js';

/** A resource that the platform created. @publicApi */
export interface CreatedResource {
  id: string;
  /** URL of the resource. We build it from the id and the configured origin, not from the platform's `Location`. */
  location: string;
}

/** Statuses by which the platform certainly refused. After any other failure the customer may have been prompted. */
const REFUSALS = new Set([400, 403, 404, 422]);

/** Reads and creates with the token of one account, for the services of all resources. */
export class PlatformClient {
  constructor(
    private readonly requests: AuthorizedRequests,
    private readonly tokens: TokensService,
    private readonly shutdown: ShutdownSignal,
    private readonly settings: CurrentSettings,
    private readonly runtime: Runtime,
    private readonly budget = new RetryBudget(),
    private readonly permit: Permit | null = null,
  ) {}

  /** Waits until the settings of the account are not too old to build a request from them. */
  upToDate(): Promise<void> {
    return this.tokens.upToDate();
  }

  /** The same client for a background request. */
  withPermit(permit: Permit): PlatformClient {
    const { requests, tokens, shutdown, settings, runtime, budget } = this;
    return new PlatformClient(requests, tokens, shutdown, settings, runtime, budget, permit);
  }

  /** The platform's clock, as far as this process knows it. */
  get clock(): PlatformClock {
    return this.requests.clockOf(this.settings.current);
  }

  /**
   * Makes a request to learn the platform's clock, unless it is known. Every answer has a `Date` header, also a refusal. A token request teaches
   * it too, but a process whose token another one has stored makes none.
   * @see docs/conformance.md#clock
   * @throws PlatformUnreachableError | PlatformTimeoutError when no answer comes
   */
  async learnClock(): Promise<PlatformClock> {
    const settings = this.settings.current;
    const { clock } = this;
    if (clock.isKnown) return clock;
    await retrySafely(this.budget, this.shutdown, this.runtime, () =>
      this.requests.askTime(settings),
    );
    return clock;
  }

  /** GET of a resource. It is repeated while a repeat may help. */
  async read(operation: string, path: string, maxBytes?: number): Promise<Record<string, unknown>> {
    return jsonObject(operation, await this.repeat({ operation, method: 'GET', path, maxBytes }));
  }

  /**
   * POST with an empty object that has the same effect once and several times. It is repeated while a repeat may help, also when an
   * earlier attempt may have been processed. It must move no money.
   */
  async command(operation: string, path: string): Promise<void> {
    const body = { type: 'application/json', text: '{}' } as const;
    await this.repeat({ operation, method: 'POST', path, body });
  }

  private repeat(
    request: Pick<PlatformRequest, 'operation' | 'method' | 'path' | 'body' | 'maxBytes'>,
  ): Promise<PlatformResponse> {
    return retrySafely(this.budget, this.shutdown, this.runtime, async () => {
      const { account } = this.settings.current;
      const sent = { ...request, repeatable: true };
      const how = { traffic: 'others', permit: this.permit } as const;
      const answer = await this.requests.send(this.tokens, account, sent, how);
      const error = answerError(request.operation, answer);
      if (error) throw error;
      return answer;
    });
  }

  /**
   * POST that creates a resource, for callers that keep no operation.
   * @throws AccountRemovedError when the account takes no new requests
   * @throws UnknownOutcomeError when the platform may have processed it; it is never sent again
   */
  async create(
    operation: string,
    path: string,
    body: unknown,
    purpose: CreatePurpose = 'money',
  ): Promise<CreatedResource> {
    const sending = {
      limit: new TimeLimit(this.runtime, this.settings.current.sending.sendBeforeMs),
      failures: new FailedAttempts(this.runtime),
      unaskedUntil: 0,
    };
    const outcome = await this.attempt(operation, path, body, sending, purpose);
    if (outcome.kind !== 'created') throw outcome.error;
    return {
      id: outcome.id,
      location: `${this.settings.current.baseUrl}${path}/${encodeURIComponent(outcome.id)}`,
    };
  }

  /**
   * Sends a create. Repeats it only when the platform certainly did not process it (no connection, 401, 429), until the
   * time limit is over. Never throws a `PaymentsError`: it becomes the outcome.
   */
  async attempt(
    operation: string,
    path: string,
    body: unknown,
    { limit, failures, unaskedUntil }: Sending,
    purpose: Purpose = 'recorded',
  ): Promise<CreateOutcome> {
    const text = JSON.stringify(body);
    let isFirst = true;
    /** Nothing that takes long may be between this and the first byte. */
    const mayWrite = async (assertOpen: () => void): Promise<void> => {
      const isUnasked = isFirst && this.runtime.elapsed() < unaskedUntil;
      isFirst = false;
      if (!isUnasked) await this.requests.assertAllowed(this.settings.current, purpose);
      assertOpen();
      // A process that was suspended (SIGSTOP, a closed laptop) must not prompt the customer much later.
      if (limit.isOver) throw tooLateToSend(operation);
    };
    for (let repeats = 0; ; repeats += 1) {
      const outcome = await this.post(operation, path, text, purpose, mayWrite);
      if (outcome.kind === 'not_sent') failures.add(outcome.error);
      const waitMs = retryDelay(operation, outcome, purpose, repeats, limit.leftMs, this.runtime);
      if (waitMs === null || waitMs > limit.leftMs) return outcome;
      // The application closes, or wakes up too late. The create was certainly not processed, so the outcome is final, and says why.
      if (!(await this.shutdown.pause(waitMs)) || limit.isOver) return outcome;
      if (outcome.kind !== 'created') countRetry(outcome.error);
    }
  }

  private async post(
    operation: string,
    path: string,
    text: string,
    purpose: Purpose,
    mayWrite: (assertOpen: () => void) => Promise<void>,
  ): Promise<CreateOutcome> {
    const { account } = this.settings.current;
    const body = { type: 'application/json', text } as const;
    let isWritten = false;
    try {
      const request = { operation, method: 'POST', path, body } as const;
      const response = await this.requests.send(this.tokens, account, request, {
        traffic: movesMoney(purpose) ? 'creates' : 'others',
        permit: this.permit,
        mayWrite: async (assertOpen) => {
          await mayWrite(assertOpen);
          isWritten = true;
        },
        // Until a repeat after a 401, this create is not running.
        answered: () => (isWritten = false),
      });
      return outcomeOf(operation, path, response);
    } catch (error) {
      if (!(error instanceof PaymentsError)) throw error;
      return isWritten ? failedToSend(operation, error) : { kind: 'not_sent', error };
    }
  }
}

function failedToSend(operation: string, error: PaymentsError): CreateOutcome {
  if (error instanceof PlatformUnreachableError) return { kind: 'not_sent', error };
  return {
    kind: 'unknown',
    error: new UnknownOutcomeError(operation, error.cause instanceof Error ? error.cause : error),
  };
}

function outcomeOf(operation: string, path: string, response: PlatformResponse): CreateOutcome {
  const error = answerError(operation, response);
  if (!error) {
    const id = identifierFromUrl(response.location, path.slice(path.lastIndexOf('/') + 1));
    if (id !== null) return { kind: 'created', id };
    const unreadable = new PlatformResponseError(
      operation,
      response.status,
      'its Location carries no readable id.',
    );
    return { kind: 'unknown', error: new UnknownOutcomeError(operation, unreadable) };
  }
  if (error instanceof PlatformRedirectError) return { kind: 'rejected', error };
  if (error instanceof PlatformRejectedError && REFUSALS.has(error.status))
    return { kind: 'rejected', error };
  if (error instanceof PlatformRateLimitedError || error instanceof PlatformUnauthorizedError) {
    return { kind: 'not_sent', error };
  }
  return { kind: 'unknown', error: new UnknownOutcomeError(operation, error) };
}

/**
 * Milliseconds until a create may be sent again; null when it may not, because it may have been processed or a repeat is
 * useless.
 */
function retryDelay(
  operation: string,
  outcome: CreateOutcome,
  purpose: Purpose,
  failures: number,
  leftMs: number,
  runtime: Runtime,
): number | null {
  if (outcome.kind !== 'not_sent') return null;
  const { error } = outcome;
  // Some platforms know a new token only after a while. A wrong client secret is refused where tokens are made, and stays wrong.
  if (error instanceof PlatformUnauthorizedError)
    return error.operation === operation ? jitterAfterLeast(runtime, failures) : null;
  if (error instanceof PlatformRateLimitedError)
    return askedToWaitMs(
      runtime,
      error.retryAfterMs ?? fullJitter(runtime, failures, RATE_LIMITED),
      leftMs,
    );
  const passing =
    error instanceof PlatformUnreachableError ||
    error instanceof PlatformTimeoutError ||
    error instanceof PlatformUnavailableError ||
    error instanceof PlatformResponseError ||
    error instanceof StoreUnavailableError ||
    // A background request that gets no permit is not repeated, and what is recorded may be sent until its time is over.
    (error instanceof CircuitOpenError && movesMoney(purpose)) ||
    (error instanceof SendingPausedError && purpose === 'recorded');
  return passing ? jitterAfterLeast(runtime, failures) : null;
}
