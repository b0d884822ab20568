import type { KnownAccounts } from '../../known.accounts.js';
import { answerError, jsonObject } from '../../http/platform.answer.js';
import type { PlatformHttp, PlatformResponse } from '../../http/platform.http.js';
import {
  CircuitOpenError,
  PlatformError,
  PlatformRejectedError,
  PlatformUnauthorizedError,
  PlatformUnavailableError,
} from '../../payments.errors.js';
import type { PaymentsSettings } from '../../payments.settings.js';
import { waitWhileClosed } from '../../runtime/asked.wait.js';
import { CIRCUIT, doubled, SPREAD, TOKEN_RENEWAL } from '../../runtime/backoff.js';
import { askedByMs } from '../../runtime/circuit.breaker.js';
import { LastingProblem } from '../../runtime/lasting-problem.js';
import { RetryBudget, retrySafely } from '../../runtime/retry.js';
import type { Runtime } from '../../runtime/runtime.js';
import type { ShutdownSignal } from '../../runtime/shutdown.signal.js';
import {
  readIntrospection,
  readToken,
  readTokenInfo,
  type TokenInfo,
  type TokenIntrospection,
} from './token.resource.js';
import { applicationOf, type LiveToken, type TokenVault } from './token.vault.js';
import { accountAttributes } from '../../telemetry/account.attributes.js';
import { errorType } from '../../telemetry/error-type.js';
import { METRICS } from '../../telemetry/metrics.list.js';
import { count } from '../../telemetry/metrics.js';
import { CONVENTION } from '../../telemetry/telemetry.names.js';
import { Concealed } from '../../values/concealed.decorator.js';

/** A token is renewed when this share of its lifetime is left, at most a minute. */
const RENEWAL_SHARE = 0.2;

/** What a request is for: a token, or something about a token. The platform may want those, and not these. */
type TokenPurpose = 'token' | 'about';

/** A renewal that failed. */
interface Failure {
  error: unknown;
  application: string;
  /** No token is requested until then, by the monotonic clock. */
  until: number;
  /** Whether the platform asked to wait until then. */
  wasAsked: boolean;
}

interface CachedToken {
  value: string;
  /** The application that it is for. */
  application: string;
  /** Whether another replica requested it. */
  isShared: boolean;
  /** By the monotonic clock, as `expiresAt`. */
  renewAt: number;
  expiresAt: number;
}

/**
 * Access tokens of the platform. The service requests one token for all callers and renews it before it expires. Calls to the
 * platform use it by themselves; an application rarely needs this service.
 * @see docs/conformance.md#tokens
 * @publicApi
 */
@Concealed()
export class TokensService {
  private lastToken: CachedToken | null = null;
  private renewal: { application: string; token: Promise<CachedToken> } | null = null;
  private failure: Failure | null = null;
  /** Whether the last renewal failed. */
  private hasFailed = false;
  private readonly budget = new RetryBudget();
  private readonly refusal = new LastingProblem();
  /** Until when the platform wants no such requests of an application, in `Runtime.elapsed()`. */
  private readonly closedUntil = new Map<string, number>();

  constructor(
    private readonly http: PlatformHttp,
    private readonly vault: TokenVault,
    private readonly accounts: KnownAccounts,
    private readonly shutdown: ShutdownSignal,
    private readonly settings: PaymentsSettings,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Returns a valid access token, from the cache if possible. The token is a secret: do not log it.
   * @throws PlatformUnauthorizedError when client id or secret are wrong
   * @throws PlatformUnreachableError | PlatformTimeoutError | PlatformUnavailableError when the platform does not answer
   * @throws PlatformResponseError when the platform's answer has no usable token
   * @throws CircuitOpenError while the platform has asked to wait before the next token request
   */
  async get(): Promise<string> {
    await this.upToDate();
    const token = this.cached;
    const now = this.runtime.elapsed();
    if (token && now < token.renewAt) return token.value;
    if (token && now < token.expiresAt) {
      // The old token is still valid. If its renewal fails, a later call tries again.
      this.renew(token.value).catch(() => undefined);
      return token.value;
    }
    return (await this.renewed(token?.value)).value;
  }

  /**
   * Waits until the settings of the account are not too old: it may have been removed, or have another secret.
   * @internal
   */
  async upToDate(): Promise<void> {
    await this.accounts.refreshOld(this.settings.account);
  }

  /**
   * What this process knows of its token, without a request: it has a valid one, the last renewal failed, or it has needed none yet.
   * @internal
   */
  get status(): 'valid' | 'failing' | 'none' {
    if (this.cached && this.runtime.elapsed() < this.cached.expiresAt) return 'valid';
    return this.hasFailed ? 'failing' : 'none';
  }

  /**
   * Reads what the platform says about our current token.
   * @throws PlatformError | PlatformUnreachableError | PlatformTimeoutError when the platform gives no usable answer
   */
  async info(): Promise<TokenInfo> {
    const operation = 'get token info';
    const response = await this.exchange(operation, 'about', () =>
      this.authorized((accessToken) =>
        this.http.request(this.settings.account, {
          operation,
          repeatable: true,
          method: 'GET',
          path: '/oauth/token/info',
          origin: this.settings.tokenBaseUrl,
          accessToken,
          timeoutMs: this.settings.http.readTimeoutMs,
        }),
      ),
    );
    return readTokenInfo(jsonObject(operation, response));
  }

  /**
   * Checks with the platform whether a token is valid.
   * @param token the token. @default our current one
   * @throws PlatformError | PlatformUnreachableError | PlatformTimeoutError when the platform gives no usable answer
   */
  async introspect(token?: string): Promise<TokenIntrospection> {
    const operation = 'introspect token';
    const response = await this.postForm(operation, 'about', '/oauth/introspect', {
      token: token ?? (await this.get()),
    });
    return readIntrospection(jsonObject(operation, response));
  }

  /**
   * Revokes a token. After our current token is revoked, the next call to the platform requests a new one.
   * @param token the token. @default our current one
   * @throws PlatformError | PlatformUnreachableError | PlatformTimeoutError when the platform does not confirm
   */
  async revoke(token?: string): Promise<void> {
    const value = token ?? this.cached?.value ?? (await this.vault.read())?.value;
    if (value === undefined) return;
    await this.postForm('revoke token', 'about', '/oauth/revoke', { token: value });
    if (this.cached?.value === value) this.lastToken = null;
    await this.vault.delete(value);
  }

  /**
   * Makes a call with our token. After a 401 it renews the token, once for all callers, and repeats the call once: the platform
   * does not process a request with an invalid token. If the renewed token comes from another replica, it may be revoked as
   * well. Then a second 401 requests a new token, and the call is repeated once more.
   * @internal
   */
  async authorized(
    call: (accessToken: string, origin: string) => Promise<PlatformResponse>,
  ): Promise<PlatformResponse> {
    // A rotation while the call waits must not take its token to another platform.
    const send = (token: string): Promise<PlatformResponse> => call(token, this.settings.baseUrl);
    const token = await this.get();
    const response = await send(token);
    if (response.status !== 401) return response;
    const renewed = await this.renewed(token);
    const repeated = await send(renewed.value);
    if (repeated.status !== 401 || !renewed.isShared) return repeated;
    return send((await this.renewed(renewed.value)).value);
  }

  /** The token of the application that the account has now: a rotation may have changed it. */
  private get cached(): CachedToken | null {
    return this.lastToken?.application === this.application ? this.lastToken : null;
  }

  private get application(): string {
    return applicationOf(this.settings);
  }

  /** Renews the token, and again if a rotation has come meanwhile. */
  private async renewed(stale: string | undefined): Promise<CachedToken> {
    for (;;) {
      const token = await this.renew(stale);
      if (token.application === this.application) return token;
    }
  }

  /** Renews the token; callers during a renewal share it. `stale` is the token that must not be used any more. */
  private renew(stale: string | undefined): Promise<CachedToken> {
    const { cached, failure, application } = this;
    if (cached && cached.value !== stale && this.runtime.elapsed() < cached.expiresAt)
      return Promise.resolve(cached);
    const heldMs =
      failure?.application === application ? failure.until - this.runtime.elapsed() : 0;
    if (failure && heldMs > 0) return Promise.reject(heldBack(failure, heldMs));
    // A call after a rotation does not use the token of the former application.
    if (this.renewal?.application === application) return this.renewal.token;
    const token = this.obtain(stale)
      .then((obtained) => {
        const { account } = this.settings;
        this.refusal.end('there is an access token again', { account });
        this.hasFailed = false;
        return (this.lastToken = obtained);
      })
      .catch((error: unknown) => {
        if (error instanceof PlatformError && !(error instanceof PlatformUnavailableError))
          this.refusal.begin(
            `the platform gives no access token, so no payment can be sent and no outcome read: ${error.message}`,
            { account: this.settings.account },
          );
        const askedMs = askedByMs(error);
        const holdMs = askedMs ?? TOKEN_RENEWAL.holdFailureMs;
        const until = this.runtime.elapsed() + holdMs;
        this.hasFailed = true;
        this.failure = { error, application, until, wasAsked: askedMs !== null };
        throw error;
      })
      .finally(() => {
        if (this.renewal?.token === token) this.renewal = null;
      });
    this.renewal = { application, token };
    return token;
  }

  private get renewalLeaseMs(): number {
    return this.settings.http.tokenTimeoutMs * 2;
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
    // A rotation while the token is requested may change it: then the token is of no use any more.
    const { application } = this;
    try {
      const token = await this.request();
      this.countRenewal({});
      if (application === this.application) await this.vault.save(token);
      else await this.vault.releaseRenewal();
      return this.toCached(token, false, application);
    } catch (error) {
      this.countRenewal({ [CONVENTION.errorType]: errorType(error) });
      await this.vault.releaseRenewal();
      throw error;
    }
  }

  /** The token that another replica has requested; null when there is none that can be used. */
  private async shared(stale: string | undefined): Promise<CachedToken | null> {
    const { application } = this;
    const token = await this.vault.read();
    const isUsable = token && token.value !== stale && !isDue(token);
    return isUsable ? this.toCached(token, true, application) : null;
  }

  private countRenewal(result: Record<string, string>): void {
    const { accounts, settings } = this;
    count(METRICS.tokenRenewals, { ...result, ...accountAttributes(accounts, settings.account) });
  }

  private toCached(token: LiveToken, isShared: boolean, application: string): CachedToken {
    const now = this.runtime.elapsed();
    return {
      value: token.value,
      application,
      isShared,
      renewAt: now + token.expiresInMs - margin(token.expiresInMs),
      expiresAt: now + token.expiresInMs,
    };
  }

  private async request(): Promise<LiveToken> {
    const { clientSecret } = this.settings;
    try {
      return await this.requestOnce();
    } catch (error) {
      const isRefused =
        error instanceof PlatformUnauthorizedError || error instanceof PlatformRejectedError;
      if (!isRefused || !(await this.hasNewSecret(clientSecret))) throw error;
      return this.requestOnce();
    }
  }

  /** Whether the client secret was renewed since a request with the former one began. */
  private async hasNewSecret(former: string): Promise<boolean> {
    const { settings } = this;
    // Somebody else may have loaded the account just before, or may be loading it.
    for (let repeats = 0; settings.clientSecret === former; repeats += 1) {
      const reloaded = await this.accounts.reload(settings.account);
      if (settings.clientSecret !== former) break;
      if (reloaded !== 'unsure' || repeats > 0) return false;
      if (!(await this.shutdown.pause(TOKEN_RENEWAL.reloadAgainMs))) return false;
    }
    return true;
  }

  private async requestOnce(): Promise<LiveToken> {
    const operation = 'get token';
    const fields = { grant_type: 'client_credentials' };
    const response = await this.postForm(operation, 'token', '/oauth/token', fields);
    return readToken(operation, jsonObject(operation, response));
  }

  private postForm(
    operation: string,
    purpose: TokenPurpose,
    path: string,
    fields: Record<string, string>,
  ): Promise<PlatformResponse> {
    const { application } = this;
    const send = async (): Promise<PlatformResponse> => {
      if ('token' in fields && application !== this.application)
        throw new CircuitOpenError(0, 'The account has another application of the platform now');
      // Together, for each attempt: a rotation must not take the secret to another host.
      const { account, tokenBaseUrl: origin, clientId, clientSecret, http } = this.settings;
      const form = { client_id: clientId, client_secret: clientSecret, ...fields };
      return this.http.request(account, {
        operation,
        repeatable: true,
        method: 'POST',
        path,
        origin,
        body: {
          type: 'application/x-www-form-urlencoded',
          text: new URLSearchParams(form).toString(),
        },
        timeoutMs: http.tokenTimeoutMs,
      });
    };
    return this.exchange(operation, purpose, send);
  }

  /**
   * Makes a request until an attempt is accepted. The platform's `Retry-After` holds for all replicas, also while this one waits for its next
   * attempt.
   */
  private exchange(
    operation: string,
    purpose: TokenPurpose,
    send: () => Promise<PlatformResponse>,
  ): Promise<PlatformResponse> {
    return retrySafely(this.budget, this.shutdown, this.runtime, async () => {
      await this.whileClosed(purpose);
      const { application } = this;
      const response = await send();
      const error = answerError(operation, response);
      if (!error) return response;
      const askedMs = askedByMs(error);
      if (askedMs !== null) {
        const until = this.runtime.elapsed() + askedMs;
        this.closedUntil.set(`${application} ${purpose}`, until);
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
      () => {
        const until = this.closedUntil.get(`${this.application} ${purpose}`) ?? 0;
        return Math.max(0, until - this.runtime.elapsed());
      },
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

/** Whether a shared token expires within a second. Its lifetime is unknown, so the share of `margin` cannot be used. */
function isDue(token: LiveToken): boolean {
  return token.expiresInMs < 1_000;
}

/** The platform has asked once: who is held back until then must not wait for the whole time again. */
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
