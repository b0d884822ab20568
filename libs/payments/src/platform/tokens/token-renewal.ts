import { accountAttributes, type AccountRegistry } from '../../accounts/account-registry.js';
import type { PlatformHttp } from '../http/platform-http.js';
import { answerError, jsonObject, type PlatformResponse } from '../http/platform-answer.js';
import {
  CircuitOpenError,
  PlatformError,
  PlatformUnavailableError,
} from '../../platform.errors.js';
import type { PaymentsSettings } from '../../accounts/payments.settings.js';
import { doubled, RetryBudget, retrySafely, SPREAD, waitWhileClosed } from '../../runtime/retry.js';
import { type Runtime, SECOND } from '../../runtime/clock.js';
import { askedByMs, CIRCUIT } from '../../runtime/limits.js';
import type { LastingProblem } from '../../runtime/logging.js';
import type { ShutdownSignal } from '../../runtime/shutdown-signal.js';
import { errorType } from '../../runtime/telemetry/telemetry.js';
import { CONVENTION, METRICS } from '../../runtime/telemetry/metrics-list.js';
import { count } from '../../runtime/telemetry/metrics.js';
import { type LiveToken, readToken, type TokenVault } from './token-vault.js';

const TOKEN_RENEWAL = {
  /** A token is renewed this long before it expires. */
  marginMs: 60 * SECOND,
  /** After a failed renewal every caller gets the same error for this long, so that callers cannot flood the platform. */
  holdFailureMs: SECOND,
  /** The first wait between two reads of the store while another process renews the token. It doubles: the platform may have asked to wait. */
  readSharedMs: 50,
  longestReadSharedMs: SECOND,
} as const;

/** A token is renewed when this share of its lifetime is left, at most a minute. */
const RENEWAL_SHARE = 0.2;

/** The operation of a token request. */
export const GET_TOKEN = 'get token';

/** A request is for a token, or about a token. The platform may accept one kind while it refuses the other. */
export type TokenPurpose = 'token' | 'about';

interface Failure {
  error: unknown;
  /** No token is requested until this time, by the monotonic clock. */
  until: number;
  /** True when the platform asked to wait until then. */
  wasAsked: boolean;
}

export interface CachedToken {
  value: string;
  /** True when another replica requested it. */
  isShared: boolean;
  /** This time is by the monotonic clock, as the other times are. */
  obtainedAt: number;
  renewAt: number;
  expiresAt: number;
}

/** Requests and renews the token of one application of the platform, and keeps it. All settings that it is given belong to that application. */
export class TokenRenewal {
  private token: CachedToken | null = null;
  private renewal: Promise<CachedToken> | null = null;
  private failure: Failure | null = null;
  private hasFailed = false;
  private readonly budget = new RetryBudget();
  /** The platform wants no requests of a purpose until this time, in `Runtime.elapsed()`. */
  private readonly closedUntil: Record<TokenPurpose, number> = { token: 0, about: 0 };

  constructor(
    public settings: PaymentsSettings,
    readonly vault: TokenVault,
    private readonly http: PlatformHttp,
    private readonly accounts: AccountRegistry,
    private readonly refusal: LastingProblem,
    private readonly shutdown: ShutdownSignal,
    private readonly runtime: Runtime,
  ) {}

  /** Says what this process knows of its token, without a request. */
  get status(): 'valid' | 'failing' | 'none' {
    if (this.token && this.runtime.elapsed() < this.token.expiresAt) return 'valid';
    return this.hasFailed ? 'failing' : 'none';
  }

  /** The token that this process has now. */
  get value(): string | undefined {
    return this.token?.value;
  }

  /** Removes a token that was revoked. */
  remove(value: string): void {
    if (this.token?.value === value) this.token = null;
  }

  async get(): Promise<string> {
    const { token } = this;
    const now = this.runtime.elapsed();
    if (token && now < token.renewAt) return token.value;
    if (token && now < token.expiresAt) {
      // The old token is still valid. If its renewal fails, a later call tries again.
      this.renew(token.value).catch(() => undefined);
      return token.value;
    }
    return (await this.renew(token?.value)).value;
  }

  /**
   * Renews the token; callers during a renewal share it.
   * @param stale the token that must not be used any more
   * @param refusedSince when the request was sent that was refused with it: a renewal since then is enough, also when the platform gave the same token again
   */
  renew(stale: string | undefined, refusedSince = Infinity): Promise<CachedToken> {
    const { token, failure } = this;
    const isRenewed = token && (token.value !== stale || token.obtainedAt > refusedSince);
    if (isRenewed && this.runtime.elapsed() < token.expiresAt) return Promise.resolve(token);
    const heldMs = failure ? failure.until - this.runtime.elapsed() : 0;
    if (failure && heldMs > 0) return Promise.reject(heldBack(failure, heldMs));
    this.renewal ??= this.obtain(stale)
      .then((obtained) => {
        this.refusal.end('there is an access token again', { account: this.settings.account });
        this.hasFailed = false;
        return (this.token = obtained);
      })
      .catch((error: unknown) => {
        this.noteFailure(error);
        throw error;
      })
      .finally(() => (this.renewal = null));
    return this.renewal;
  }

  private noteFailure(error: unknown): void {
    if (error instanceof PlatformError && !(error instanceof PlatformUnavailableError))
      this.refusal.begin(
        `the platform gives no access token, so no payment can be sent and no outcome read: ${error.message}`,
        { account: this.settings.account },
      );
    const askedMs = askedByMs(error);
    const until = this.runtime.elapsed() + (askedMs ?? TOKEN_RENEWAL.holdFailureMs);
    this.hasFailed = true;
    this.failure = { error, until, wasAsked: askedMs !== null };
  }

  private get renewalLeaseMs(): number {
    return this.settings.http.readTimeoutMs * 2;
  }

  /** Gets a token from another replica through the vault, or from the platform. One replica at a time requests a token. */
  private async obtain(stale: string | undefined): Promise<CachedToken> {
    const leaseMs = this.renewalLeaseMs;
    const giveUpAt = this.runtime.elapsed() + leaseMs;
    for (let reads = 1; ; reads += 1) {
      const shared = await this.shared(stale);
      if (shared) return shared;
      if (await this.vault.claimRenewal(leaseMs)) break;
      if (this.runtime.elapsed() > giveUpAt) throw heldByPeer();
      const waitMs = doubled(TOKEN_RENEWAL.readSharedMs, TOKEN_RENEWAL.longestReadSharedMs, reads);
      if (!(await this.shutdown.pause(waitMs))) throw heldByPeer();
    }
    // Another replica may have ended its renewal since the read.
    const renewed = await this.shared(stale);
    if (renewed) {
      await this.vault.releaseRenewal();
      return renewed;
    }
    try {
      const token = await this.request();
      this.countRenewal({});
      await this.vault.save(token);
      return this.toCached(token, false);
    } catch (error) {
      this.countRenewal({ [CONVENTION.errorType]: errorType(error) });
      await this.vault.releaseRenewal();
      throw error;
    }
  }

  /** Returns the token that another replica has requested; null when there is none that can be used. */
  private async shared(stale: string | undefined): Promise<CachedToken | null> {
    const token = await this.vault.read();
    const isUsable = token && token.value !== stale && !isDue(token);
    return isUsable ? this.toCached(token, true) : null;
  }

  private countRenewal(result: Record<string, string>): void {
    const { accounts, settings } = this;
    count(METRICS.tokenRenewals, { ...result, ...accountAttributes(accounts, settings.account) });
  }

  private toCached(token: LiveToken, isShared: boolean): CachedToken {
    const now = this.runtime.elapsed();
    return {
      value: token.value,
      isShared,
      obtainedAt: now,
      renewAt: now + token.expiresInMs - margin(token.expiresInMs),
      expiresAt: now + token.expiresInMs,
    };
  }

  private async request(): Promise<LiveToken> {
    const operation = GET_TOKEN;
    const fields = { grant_type: 'client_credentials' };
    const response = await this.postForm(operation, 'token', '/oauth/token', fields);
    return readToken(operation, jsonObject(operation, response));
  }

  /** Makes a request with the client id and secret. */
  postForm(
    operation: string,
    purpose: TokenPurpose,
    path: string,
    fields: Record<string, string>,
  ): Promise<PlatformResponse> {
    const { clientId, clientSecret, http } = this.settings;
    const form = { client_id: clientId, client_secret: clientSecret, ...fields };
    return this.exchange(operation, purpose, () =>
      this.http.request(this.settings, {
        operation,
        repeatable: true,
        method: 'POST',
        path,
        body: {
          type: 'application/x-www-form-urlencoded',
          text: new URLSearchParams(form).toString(),
        },
        timeoutMs: http.readTimeoutMs,
      }),
    );
  }

  /**
   * Makes a request until an attempt is accepted. The platform's `Retry-After` holds for all requests of the purpose.
   */
  exchange(
    operation: string,
    purpose: TokenPurpose,
    send: () => Promise<PlatformResponse>,
  ): Promise<PlatformResponse> {
    return retrySafely(this.budget, this.shutdown, this.runtime, async () => {
      await this.whileClosed(purpose);
      const response = await send();
      const error = answerError(operation, response);
      if (!error) return response;
      const askedMs = askedByMs(error);
      if (askedMs !== null) {
        this.closedUntil[purpose] = this.runtime.elapsed() + askedMs;
        // The right to renew must not end while this process waits.
        if (purpose === 'token')
          await this.vault.claimRenewal(askedMs * (1 + SPREAD) + this.renewalLeaseMs);
      }
      throw error;
    });
  }

  /** @throws CircuitOpenError when the platform wants no requests about tokens for long */
  private async whileClosed(purpose: TokenPurpose): Promise<void> {
    const leftMs = await waitWhileClosed(
      () => Math.max(0, this.closedUntil[purpose] - this.runtime.elapsed()),
      this.shutdown,
      this.runtime,
    );
    if (leftMs > 0) throw new CircuitOpenError(leftMs, ASKED_TO_WAIT);
  }
}

const ASKED_TO_WAIT = 'The platform asked to wait before the next token request';

function margin(expiresInMs: number): number {
  return Math.min(TOKEN_RENEWAL.marginMs, expiresInMs * RENEWAL_SHARE);
}

/** True when a shared token expires within a second. Its lifetime is unknown, so the share of `margin` cannot be used. */
function isDue(token: LiveToken): boolean {
  return token.expiresInMs < 1_000;
}

/** The platform has asked once. A caller that is held back until then gets an error, so that it does not wait for the whole time again. */
function heldBack({ error, wasAsked }: { error: unknown; wasAsked: boolean }, ms: number): Error {
  return wasAsked ? new CircuitOpenError(ms, ASKED_TO_WAIT) : (error as Error);
}

/** We made no request, so this says nothing about the platform. */
function heldByPeer(): CircuitOpenError {
  return new CircuitOpenError(
    CIRCUIT.firstPauseMs,
    'Another replica did not finish its renewal of the token',
  );
}
