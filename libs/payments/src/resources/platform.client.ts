import type { BackgroundRequests, Turn } from '../http/background-requests.js';
import { answerError, jsonObject } from '../http/platform.answer.js';
import type { PlatformClock, PlatformClocks } from '../http/platform.clock.js';
import type { PlatformHttp, PlatformRequest, PlatformResponse } from '../http/platform.http.js';
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
import { AccountRemovedError, SendingPausedError } from '../payments.account-errors.js';
import type { PaymentsSettings } from '../payments.settings.js';
import {
  askedToWaitMs,
  fullJitter,
  jitterAfterLeast,
  RATE_LIMITED,
  spread,
  SENDING,
} from '../runtime/backoff.js';
import { countRetry, RetryBudget, retrySafely } from '../runtime/retry.js';
import type { Runtime } from '../runtime/runtime.js';
import type { ShutdownSignal } from '../runtime/shutdown.signal.js';
import type { TrafficStore } from '../runtime/traffic.store.js';
import type { PlatformWaits } from '../http/platform.waits.js';
import { TimeLimit } from '../runtime/time-limit.js';
import { identifierFromUrl } from '../values/identifier.js';
import { FailedAttempts } from './failed-attempts.js';
import type { TokensService } from './tokens/tokens.service.js';

/** A resource that the platform created. @publicApi */
export interface CreatedResource {
  id: string;
  /** URL of the resource. We build it from the id and the configured origin, not from the platform's `Location`. */
  location: string;
}

/** How sending a create ended. Only `created` and `unknown` may charge the customer. */
export type CreateOutcome =
  | { kind: 'created'; id: string }
  /** The platform certainly refused it. */
  | { kind: 'rejected'; error: PlatformRejectedError | PlatformRedirectError }
  /** The platform certainly never processed it. */
  | { kind: 'not_sent'; error: PaymentsError }
  /** It was sent, and no usable answer came. It must not be sent again. */
  | { kind: 'unknown'; error: UnknownOutcomeError };

/** What a create is for. `read`: it asks for something that the platform knows, as a polling request does. */
export type CreatePurpose = 'money' | 'read' | 'other';

/** `recorded`: it moves money, and the store has recorded that it may be sent. */
type Sending = CreatePurpose | 'recorded';

/** Statuses by which the platform certainly refused. After any other failure the customer may have been prompted. */
const REFUSALS = new Set([400, 403, 404, 422]);

/** Reads and creates with the token of one account, for the services of all resources. */
export class PlatformClient {
  constructor(
    private readonly http: PlatformHttp,
    private readonly tokens: TokensService,
    private readonly clocks: PlatformClocks,
    private readonly background: BackgroundRequests,
    private readonly traffic: TrafficStore,
    private readonly waits: PlatformWaits,
    private readonly shutdown: ShutdownSignal,
    private readonly settings: PaymentsSettings,
    private readonly runtime: Runtime,
    private readonly budget = new RetryBudget(),
    private readonly turn: Turn | null = null,
  ) {}

  /** Waits until the settings of the account are not too old to build a request from them. */
  upToDate(): Promise<void> {
    return this.tokens.upToDate();
  }

  /** The same client for a background request. */
  inTurn(turn: Turn): PlatformClient {
    return new PlatformClient(
      this.http,
      this.tokens,
      this.clocks,
      this.background,
      this.traffic,
      this.waits,
      this.shutdown,
      this.settings,
      this.runtime,
      this.budget,
      turn,
    );
  }

  /**
   * Makes a request to learn the platform's clock, unless it is known. Every answer has a `Date` header, also a refusal. A token request teaches
   * it too, but a process whose token another one has stored makes none.
   * @see docs/conformance.md#clock
   * @returns the clock that is known now: the address of the platform may change before the answer or after it
   * @throws PlatformUnreachableError | PlatformTimeoutError when no answer comes
   */
  async learnClock(): Promise<PlatformClock> {
    const { account, baseUrl, tokenBaseUrl, http } = this.settings;
    const clock = this.clocks.of(account);
    if (clock.isKnown) return clock;
    await retrySafely(this.budget, this.shutdown, this.runtime, () =>
      this.http.request(account, {
        operation: 'read the clock',
        method: 'GET',
        // A token host has a clock of its own.
        path: tokenBaseUrl === baseUrl ? '/oauth/token/info' : '/api/v2/incoming_payments',
        repeatable: true,
        timeoutMs: http.readTimeoutMs,
      }),
    );
    return clock.isKnown ? clock : this.clocks.of(account);
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
      const { account, http } = this.settings;
      const answer = await this.tokens.authorized(async (accessToken, origin) => {
        await this.background.admit(account, request.operation, this.turn);
        const admittedAt = this.runtime.elapsed();
        return this.http.request(
          account,
          { ...request, origin, accessToken, repeatable: true, timeoutMs: http.readTimeoutMs },
          () => this.background.admitAgain(account, request.operation, admittedAt),
        );
      });
      const error = answerError(request.operation, answer);
      if (!error) return answer;
      this.waits.note(account, 'others', error);
      throw error;
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
    const limit = new TimeLimit(this.runtime, this.settings.sending.sendBeforeMs);
    const outcome = await this.attempt(operation, path, body, limit, undefined, purpose);
    if (outcome.kind !== 'created') throw outcome.error;
    return {
      id: outcome.id,
      location: `${this.settings.baseUrl}${path}/${encodeURIComponent(outcome.id)}`,
    };
  }

  /**
   * Sends a create. Repeats it only when the platform certainly did not process it (no connection, 401, 429), until the
   * time limit is over. Never throws a `PaymentsError`: it becomes the outcome.
   * @param failures collects the attempts that were certainly not processed
   */
  async attempt(
    operation: string,
    path: string,
    body: unknown,
    limit: TimeLimit,
    failures = new FailedAttempts(this.runtime),
    sending: Sending = 'recorded',
  ): Promise<CreateOutcome> {
    const text = JSON.stringify(body);
    // The store allowed it when it was recorded. It is asked again if that was long ago: the create may wait for a token or a connection.
    let allowedUntil = 0;
    const isAllowed = (): void => {
      allowedUntil = this.runtime.elapsed() + SENDING.allowedForMs;
    };
    if (sending === 'recorded') isAllowed();
    const check = async (): Promise<void> => {
      if (this.runtime.elapsed() >= allowedUntil) await this.assertAllowed(operation, sending);
    };
    /** Nothing that takes long may be between this and the first byte: somebody may pause sending meanwhile. */
    const allow = async (): Promise<void> => {
      await check();
      // Once: a repeat after a 401 is asked for again.
      allowedUntil = 0;
      // A process that was suspended (SIGSTOP, a closed laptop) must not prompt the customer much later.
      if (limit.isOver) throw new SendTooLate(operation);
    };
    for (let repeats = 0; ; repeats += 1) {
      const answer = await check()
        .then(isAllowed)
        .then(() => this.post(operation, path, text, sending, allow))
        .catch(paymentsError);
      // It was certainly not processed, and must not be sent now.
      if (answer instanceof Refused) return { kind: 'not_sent', error: answer.cause };
      if (answer instanceof NotYet) {
        const { cause } = answer;
        const waitMs =
          cause instanceof PlatformRateLimitedError
            ? spread(this.runtime, cause.retryAfterMs ?? 0, limit.leftMs)
            : jitterAfterLeast(this.runtime, repeats);
        if (waitMs > limit.leftMs || !(await this.shutdown.pause(waitMs)))
          return { kind: 'not_sent', error: cause };
        continue;
      }
      const outcome =
        answer instanceof PaymentsError
          ? failedToSend(operation, answer)
          : outcomeOf(operation, path, answer);
      if (outcome.kind === 'not_sent') failures.add(outcome.error);
      // What the token endpoint asked for is shared by those that have its token.
      if (!(answer instanceof PaymentsError)) this.noteWait(outcome, sending);
      const waitMs = retryDelay(operation, outcome, repeats, limit.leftMs, this.runtime);
      if (waitMs === null || waitMs > limit.leftMs) return outcome;
      // The application closes. The create was certainly not processed, so the outcome is final.
      if (!(await this.shutdown.pause(waitMs))) return outcome;
      if (outcome.kind !== 'created') countRetry(outcome.error);
    }
  }

  /** Tells the other processes when the platform asked to wait. */
  private noteWait(outcome: CreateOutcome, sending: Sending): void {
    if (outcome.kind === 'created') return;
    const { error } = outcome;
    this.waits.note(
      this.settings.account,
      movesMoney(sending) ? 'creates' : 'others',
      error instanceof UnknownOutcomeError ? error.cause : error,
    );
  }

  /**
   * It is asked when the create has its connection, so it does not wait.
   * @throws Refused when it must not be sent now
   * @throws NotYet when the platform has asked to wait, or when the store does not answer
   */
  private async assertAllowed(operation: string, sending: Sending): Promise<void> {
    const { account, isRemoved } = this.settings;
    if (isRemoved && (sending === 'money' || sending === 'other'))
      throw new Refused(new AccountRemovedError(account));
    if (!movesMoney(sending)) return;
    const hindrance = await this.traffic.hindrance(account).catch(paymentsError);
    if (hindrance instanceof PaymentsError) throw new NotYet(hindrance);
    const { pause, closedForMs } = hindrance;
    if (pause) {
      const paused = new SendingPausedError(pause);
      // What is recorded may be sent until its time is over, and the pause may end before.
      throw sending === 'recorded' ? new NotYet(paused) : new Refused(paused);
    }
    // Another process was asked to wait, so this one has not waited yet.
    if (closedForMs.creates > 0) {
      const answer = { operation, status: 429, platformMessages: [] };
      throw new NotYet(new PlatformRateLimitedError(answer, closedForMs.creates));
    }
  }

  private async post(
    operation: string,
    path: string,
    text: string,
    sending: Sending,
    allow: () => Promise<void>,
  ): Promise<PlatformResponse | PaymentsError> {
    let writing = false;
    try {
      return await this.tokens.authorized(async (accessToken, origin) => {
        const { account, http } = this.settings;
        if (!movesMoney(sending)) await this.admit(operation);
        const create = {
          operation,
          method: 'POST',
          path,
          origin,
          body: { type: 'application/json', text },
          accessToken,
          timeoutMs: http.createTimeoutMs,
        } as const;
        const response = await this.http.request(account, create, async () => {
          await allow();
          writing = true;
        });
        // An answer came: until a repeat after a 401, this create is not running.
        writing = false;
        return response;
      });
    } catch (error) {
      if (!(error instanceof PaymentsError)) throw error;
      return writing || error instanceof Unsent ? error : new NotSent(error);
    }
  }

  /** Waits for the turn of a create that moves no money. @throws Refused when it may not be sent now */
  private async admit(operation: string): Promise<void> {
    try {
      await this.background.admit(this.settings.account, operation, this.turn);
    } catch (error) {
      throw error instanceof PaymentsError ? new Refused(error) : error;
    }
  }
}

function movesMoney(sending: Sending): boolean {
  return sending === 'money' || sending === 'recorded';
}

function paymentsError(error: unknown): PaymentsError {
  if (error instanceof PaymentsError) return error;
  throw error;
}

/** The create was not sent. `cause` says why. */
abstract class Unsent extends PaymentsError {
  readonly code = 'PAYMENTS_UNAVAILABLE';

  constructor(override readonly cause: PaymentsError) {
    super(cause.message, { cause });
  }
}

/** It may not be sent. */
class Refused extends Unsent {}

/** It may be sent later. */
class NotYet extends Unsent {}

/** We could not get a token, or it was too late. */
class NotSent extends Unsent {}

class SendTooLate extends PaymentsError {
  readonly code = 'PAYMENTS_TIMEOUT';

  constructor(operation: string) {
    super(`"${operation}" was not sent: the time to send it was over. Request a new payment.`);
  }
}

function failedToSend(operation: string, error: PaymentsError): CreateOutcome {
  if (error instanceof NotSent) return { kind: 'not_sent', error: error.cause };
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
    error instanceof CircuitOpenError ||
    error instanceof StoreUnavailableError;
  return passing ? jitterAfterLeast(runtime, failures) : null;
}
