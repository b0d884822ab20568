import type { CurrentSettings } from '../accounts/payments.settings.js';
import { identifierFromUrl } from '../money/values.js';
import { SendingPausedError } from '../account.errors.js';
import {
  CircuitOpenError,
  PlatformRateLimitedError,
  PlatformRedirectError,
  PlatformRejectedError,
  PlatformResponseError,
  PlatformTimeoutError,
  PlatformUnauthorizedError,
  PlatformUnavailableError,
  PlatformUnreachableError,
  UnknownOutcomeError,
} from '../platform.errors.js';
import { PaymentsError, StoreUnavailableError } from '../payments.errors.js';
import { LOOK_AGAIN_MS, type RefusedCreates } from './http/refused-creates.js';
import { type Runtime, SECOND, TimeLimit } from '../runtime/clock.js';
import {
  askedToWaitMs,
  countRetry,
  FailedAttempts,
  fullJitter,
  jitterAfterLeast,
  RetryBudget,
  retrySafely,
} from '../runtime/retry.js';
import type { ShutdownSignal } from '../runtime/shutdown-signal.js';
import type { Permit, TrafficKind } from './background-requests.js';
import {
  type AuthorizedRequests,
  type CreatePurpose,
  movesMoney,
  type Purpose,
} from './http/authorized-requests.js';
import {
  answerError,
  jsonObject,
  type PlatformRequest,
  type PlatformResponse,
} from './http/platform-answer.js';
import { WritePermission, type WriteRules } from './http/write-permission.js';
import type { PlatformClock } from './platform-clock.js';
import { type CreateOutcome, type Sending, tooLateToSend } from './sending.js';
import type { TokensService } from './tokens/tokens.service.js';

/** The waits of a create that the platform refused with 429 and without `Retry-After`. */
const RATE_LIMITED = { baseMs: SECOND, capMs: 5 * SECOND } as const;

/** A resource that the platform created. @publicApi */
export interface CreatedResource {
  id: string;
  /** URL of the resource. We build it from the id and the configured origin, not from the platform's `Location`. */
  location: string;
}

/** Statuses by which the platform certainly refused. After any other failure the customer may have been prompted. */
const REFUSALS = new Set([400, 403, 404, 422]);
/** Redirects of a request that was not processed. A 303 is none of them: it says where to read the outcome. */
const REDIRECTS = new Set([301, 302, 307, 308]);

/** Reads and creates with the token of one account, for the services of all resources. */
export class PlatformClient {
  constructor(
    private readonly requests: AuthorizedRequests,
    private readonly tokens: TokensService,
    private readonly shutdown: ShutdownSignal,
    readonly settings: CurrentSettings,
    private readonly runtime: Runtime,
    private readonly budget = new RetryBudget(),
    private readonly permit: Permit | null = null,
  ) {}

  /** Waits until the settings of the account are not too old to build a request from them. */
  upToDate(): Promise<void> {
    return this.tokens.upToDate();
  }

  /** Returns the same client for a background request. */
  withPermit(permit: Permit): PlatformClient {
    const { requests, tokens, shutdown, settings, runtime, budget } = this;
    return new PlatformClient(requests, tokens, shutdown, settings, runtime, budget, permit);
  }

  /** The platform's clock, as far as this process knows it. */
  get clock(): PlatformClock {
    return this.requests.clockOf(this.settings.current);
  }

  /**
   * Says why creates of a resource are refused to the application, and for how many milliseconds none is sent.
   * @param resource `incoming-payments`
   */
  refusalOf(resource: string): ReturnType<RefusedCreates['refusal']> {
    return this.requests.refused.refusal(this.settings.current, resource.replaceAll('-', '_'));
  }

  /**
   * Makes a request to learn the platform's clock, unless it is known. Every answer has a `Date` header, also a refusal. A token request teaches
   * it too, but a process whose token another one has stored makes none.
   * @see docs/conformance.md#clock
   * @throws PlatformUnreachableError | PlatformTimeoutError when no answer comes
   */
  async learnClock(): Promise<PlatformClock> {
    return this.requests.learnClock(this.settings.current, (ask) =>
      retrySafely(this.budget, this.shutdown, this.runtime, ask),
    );
  }

  /** GET of a resource. It is repeated while a repeat may help. */
  async read(operation: string, path: string, maxBytes?: number): Promise<Record<string, unknown>> {
    const answer = await this.repeat({ operation, method: 'GET', path, maxBytes });
    try {
      return jsonObject(operation, answer);
    } catch (error) {
      this.requests.distrust(this.settings.current, path);
      throw error;
    }
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
   * @throws AccountRemovedError | SendingPausedError when the account takes no new requests, or sending is paused
   * @throws PlatformRejectedError | PlatformRedirectError when the platform refused it
   * @throws PlatformUnauthorizedError | PlatformRateLimitedError | PlatformUnreachableError | PlatformTimeoutError | CircuitOpenError |
   * InterceptedRequestError | StoreUnavailableError when it was certainly not processed, also not after `sending.sendBeforeMs`
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
      unasked: null,
    };
    const outcome = await this.attempt(operation, path, body, sending, purpose);
    if (outcome.kind !== 'created') throw outcome.error;
    return {
      id: outcome.id,
      location: `${this.settings.current.baseUrl}${path}/${encodeURIComponent(outcome.id)}`,
    };
  }

  /**
   * Sends a create. Repeats it only when the platform certainly did not process it (nothing was written, 401, 429), until the
   * time limit is over. Never throws a `PaymentsError`: it becomes the outcome.
   */
  async attempt(
    operation: string,
    path: string,
    body: unknown,
    { limit, failures, unasked }: Sending,
    purpose: Purpose = 'recorded',
  ): Promise<CreateOutcome> {
    const text = JSON.stringify(body);
    const rules: WriteRules = {
      operation,
      ask: () => this.requests.assertNotPaused(this.settings.current, purpose),
      assertNow: () => {
        this.requests.assertOpen(this.settings.current, trafficOf(purpose), operation);
        this.requests.assertTaken(this.settings.current, purpose);
        // A process that was suspended (SIGSTOP, a closed laptop) must not prompt the customer much later.
        if (limit.isOver) throw tooLateToSend(operation);
      },
      get leftMs() {
        return limit.leftMs;
      },
    };
    let last: (CreateOutcome & { kind: 'not_sent' }) | null = null;
    for (let repeats = 0; ; repeats += 1) {
      const { outcome, heldMs, wasTried } = await this.requests.refused.attempt(
        this.settings.current,
        path,
        () => this.post(operation, path, text, purpose, rules, repeats === 0 ? unasked : null),
      );
      if (outcome.kind !== 'not_sent') return outcome;
      const { error } = outcome;
      if (wasTried) failures.add(error);
      // The last outcome says why it took so long, which is more than that the time is over.
      if (last && limit.isOver) return last;
      const waitMs = heldMs ?? retryDelay(error, purpose, repeats, limit.leftMs, this.runtime);
      if (waitMs === null || waitMs > limit.leftMs) return outcome;
      const pauseMs = heldMs === null ? waitMs : Math.min(waitMs, LOOK_AGAIN_MS);
      // The application closes, or wakes up too late. The create was certainly not processed, so the outcome is final, and says why.
      if (!(await this.shutdown.pause(pauseMs)) || limit.isOver) return outcome;
      if (heldMs === null) countRetry(error);
      last = outcome;
    }
  }

  /** @param unasked in this time the store need not be asked before the first write */
  private async post(
    operation: string,
    path: string,
    text: string,
    purpose: Purpose,
    rules: WriteRules,
    unasked: TimeLimit | null,
  ): Promise<CreateOutcome> {
    const { account } = this.settings.current;
    const body = { type: 'application/json', text } as const;
    let latest: WritePermission | undefined;
    try {
      const request = { operation, method: 'POST', path, body } as const;
      const response = await this.requests.send(this.tokens, account, request, {
        traffic: trafficOf(purpose),
        permit: this.permit,
        permission: () =>
          (latest = new WritePermission(rules, this.runtime, latest ? null : unasked)),
      });
      const outcome = outcomeOf(operation, path, response);
      if (outcome.kind === 'unknown' && outcome.error.cause instanceof PlatformResponseError)
        this.requests.distrust(this.settings.current, path);
      return outcome;
    } catch (error) {
      if (latest?.isUnanswered === true) {
        const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
        return { kind: 'unknown', error: new UnknownOutcomeError(operation, cause as Error) };
      }
      if (!(error instanceof PaymentsError)) throw error;
      return { kind: 'not_sent', error };
    }
  }
}

function trafficOf(purpose: Purpose): TrafficKind {
  return movesMoney(purpose) ? 'creates' : 'others';
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
  if (error instanceof PlatformRedirectError && REDIRECTS.has(error.status))
    return { kind: 'rejected', error };
  if (error instanceof PlatformRejectedError && REFUSALS.has(error.status))
    return { kind: 'rejected', error };
  if (error instanceof PlatformRateLimitedError || error instanceof PlatformUnauthorizedError) {
    return { kind: 'not_sent', error };
  }
  return { kind: 'unknown', error: new UnknownOutcomeError(operation, error) };
}

/** Returns the milliseconds until a create that was not processed may be sent again; null when a repeat is useless. */
function retryDelay(
  error: PaymentsError,
  purpose: Purpose,
  failures: number,
  leftMs: number,
  runtime: Runtime,
): number | null {
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
