import { Inject, Injectable } from '@nestjs/common';
import { answerError, jsonObject } from '../http/platform.answer.js';
import { PlatformClock } from '../http/platform.clock.js';
import { PlatformHttp, type PlatformResponse } from '../http/platform.http.js';
import { ClosingSignal } from '../http/closing.signal.js';
import { askedToWaitMs, fullJitter, RetryBudget, retrySafely } from '../http/retry.js';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import {
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
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { identifierFromUrl } from '../values/identifier.js';
import { Runtime } from '../runtime/runtime.js';
import { TimeLimit } from '../runtime/time.limit.js';
import { TokensService } from './tokens/tokens.service.js';

/** What a create of the platform gave: the id of the new resource, and its path on the configured origin. @publicApi */
export interface CreatedResource {
  id: string;
  /** URL of the resource, rebuilt from its id on the configured origin whatever the platform's `Location` said. */
  location: string;
}

/** How sending one create ended. Only `created` and `unknown` may have charged somebody. */
export type CreateOutcome =
  | { kind: 'created'; id: string }
  /** The platform certainly refused it. */
  | { kind: 'rejected'; error: PlatformRejectedError | PlatformRedirectError }
  /** The platform certainly never processed it. */
  | { kind: 'not_sent'; error: PaymentsError }
  /** It was sent, and nothing usable came back. It must not be sent again. */
  | { kind: 'unknown'; error: UnknownOutcomeError };

/** The statuses by which the platform says for certain that it refused. Any other failure may hide a prompt. */
const REFUSALS = new Set([400, 403, 404, 422]);

/** Reads and creates with our token: what the services of all resources share. */
@Injectable()
export class PlatformClient {
  private readonly budget = new RetryBudget();

  constructor(
    private readonly http: PlatformHttp,
    private readonly tokens: TokensService,
    private readonly clock: PlatformClock,
    private readonly closing: ClosingSignal,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Has the platform tell its time, if it has not yet: any answer carries it, also one that refuses.
   * @throws PlatformUnreachableError | PlatformTimeoutError when there is no answer
   */
  async learnClock(): Promise<void> {
    if (this.clock.isKnown) return;
    await retrySafely(this.budget, this.closing, this.runtime, () =>
      this.http.send({
        operation: 'read the clock',
        method: 'GET',
        path: '/oauth/token/info',
        repeatable: true,
        timeoutMs: this.options.http.readTimeoutMs,
      }),
    );
  }

  /** GET of a resource, repeated while that may help. */
  async read(operation: string, path: string, maxBytes?: number): Promise<Record<string, unknown>> {
    const response = await retrySafely(this.budget, this.closing, this.runtime, async () => {
      const answer = await this.tokens.authorized((accessToken) =>
        this.http.send({
          operation,
          method: 'GET',
          path,
          accessToken,
          repeatable: true,
          timeoutMs: this.options.http.readTimeoutMs,
          maxBytes,
        }),
      );
      const error = answerError(operation, answer);
      if (error) throw error;
      return answer;
    });
    return jsonObject(operation, response);
  }

  /**
   * POST that creates a resource, for callers without a record of it.
   * @throws UnknownOutcomeError when it may have happened: it is never sent again
   */
  async create(operation: string, path: string, body: unknown): Promise<CreatedResource> {
    const outcome = await this.attempt(
      operation,
      path,
      body,
      new TimeLimit(this.runtime, this.options.sending.sendBeforeMs),
    );
    if (outcome.kind !== 'created') throw outcome.error;
    return {
      id: outcome.id,
      location: `${this.options.baseUrl}${path}/${encodeURIComponent(outcome.id)}`,
    };
  }

  /**
   * Sends a create once, and again only while it is certain that it was not processed (no connection, 401 once, 429),
   * until its time is over. Never throws.
   */
  async attempt(
    operation: string,
    path: string,
    body: unknown,
    limit: TimeLimit,
  ): Promise<CreateOutcome> {
    const text = JSON.stringify(body);
    for (let failures = 0; ; failures += 1) {
      const answer = await this.post(operation, path, text, limit);
      const outcome =
        answer instanceof PaymentsError
          ? failedToSend(operation, answer)
          : judge(operation, path, answer);
      const waitMs = retryDelay(outcome, failures, this.runtime);
      if (waitMs === null || waitMs > limit.leftMs) return outcome;
      // Closing now is no reason to leave it open: it was certainly not processed, and will not be.
      if (!(await this.closing.pause(waitMs))) return outcome;
    }
  }

  private async post(
    operation: string,
    path: string,
    text: string,
    limit: TimeLimit,
  ): Promise<PlatformResponse | PaymentsError> {
    let writing = false;
    try {
      return await this.tokens.authorized((accessToken) => {
        // A process that slept (SIGSTOP, a laptop's lid) must not prompt a customer who has long paid elsewhere.
        if (limit.isOver) throw new SendTooLate(operation);
        writing = true;
        return this.http
          .send({
            operation,
            method: 'POST',
            path,
            body: { type: 'application/json', text },
            accessToken,
            timeoutMs: this.options.http.createTimeoutMs,
          })
          .then((response) => {
            // From here on, until the repeat after a 401, nothing of this create is under way.
            writing = false;
            return response;
          });
      });
    } catch (error) {
      if (!(error instanceof PaymentsError)) throw error;
      return writing ? error : new TokenUnavailable(error);
    }
  }
}

/** No token could be had, so the create was not sent. Carries why. */
class TokenUnavailable extends PaymentsError {
  readonly code = 'PAYMENTS_UNAVAILABLE';

  constructor(override readonly cause: PaymentsError) {
    super(cause.message, { cause });
  }
}

class SendTooLate extends PaymentsError {
  readonly code = 'PAYMENTS_TIMEOUT';

  constructor(operation: string) {
    super(`"${operation}" was not sent: its time was over. Ask for a new payment.`);
  }
}

function failedToSend(operation: string, error: PaymentsError): CreateOutcome {
  if (error instanceof TokenUnavailable) return { kind: 'not_sent', error: error.cause };
  if (error instanceof PlatformUnreachableError) return { kind: 'not_sent', error };
  return {
    kind: 'unknown',
    error: new UnknownOutcomeError(operation, error.cause instanceof Error ? error.cause : error),
  };
}

function judge(operation: string, path: string, response: PlatformResponse): CreateOutcome {
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

/** Milliseconds until a create that was certainly not processed may be sent again; null when it may not. */
function retryDelay(outcome: CreateOutcome, failures: number, runtime: Runtime): number | null {
  if (outcome.kind !== 'not_sent') return null;
  const { error } = outcome;
  if (error instanceof PlatformRateLimitedError)
    return askedToWaitMs(runtime, error.retryAfterMs ?? fullJitter(runtime, failures, 1_000));
  const passing =
    error instanceof PlatformUnreachableError ||
    error instanceof PlatformTimeoutError ||
    error instanceof PlatformUnavailableError ||
    error instanceof PlatformResponseError ||
    error instanceof StoreUnavailableError;
  return passing ? 100 + fullJitter(runtime, failures) : null;
}
