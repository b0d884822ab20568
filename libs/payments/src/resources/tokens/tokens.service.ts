import { Inject, Injectable } from '@nestjs/common';
import { ClosingSignal } from '../../http/closing.signal.js';
import { answerError, jsonObject } from '../../http/platform.answer.js';
import { PlatformHttp, type PlatformResponse } from '../../http/platform.http.js';
import { RetryBudget, retrySafely } from '../../http/retry.js';
import { RESOLVED_OPTIONS } from '../../payments.constants.js';
import { PlatformTimeoutError } from '../../payments.errors.js';
import type { ResolvedPaymentsOptions } from '../../payments.options.js';
import { Runtime } from '../../runtime/runtime.js';
import {
  readIntrospection,
  readToken,
  readTokenInfo,
  type TokenInfo,
  type TokenIntrospection,
} from './token.resource.js';
import { TokenVault, type LiveToken } from './token.vault.js';

/** A token is renewed when this share of its life, at most a minute, is left. */
const RENEWAL_SHARE = 0.2;
const RENEWAL_MARGIN_MS = 60_000;

/** After a failed renewal every caller gets the same error for this long: callers in a loop must not become a stampede. */
const FAILURE_HOLD_MS = 1_000;

/** How often a process that waits for another one's renewal looks for its result. */
const PEER_POLL_MS = 50;

interface CachedToken {
  value: string;
  /** Another replica got it, at a time that we do not know. */
  isShared: boolean;
  /** On a clock that no clock change moves. */
  renewAt: number;
  expiresAt: number;
}

/** Access tokens (spec 4.1 to 4.4): one request for any number of callers, renewed before expiry. @publicApi */
@Injectable()
export class TokensService {
  private cached: CachedToken | null = null;
  private renewal: Promise<CachedToken> | null = null;
  private failure: { error: unknown; until: number } | null = null;
  private readonly budget = new RetryBudget();

  constructor(
    private readonly http: PlatformHttp,
    private readonly vault: TokenVault,
    private readonly closing: ClosingSignal,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
    private readonly runtime: Runtime,
  ) {}

  /**
   * A valid access token, from the cache if it can be.
   * @throws PlatformUnauthorizedError | PlatformUnreachableError | PlatformTimeoutError | PlatformResponseError
   */
  async get(): Promise<string> {
    const token = this.cached;
    const now = this.runtime.elapsed();
    if (token && now < token.renewAt) return token.value;
    if (token && now < token.expiresAt) {
      // Calls go on with the old token; if its renewal fails, the next call tries again.
      this.renew(token.value).catch(() => undefined);
      return token.value;
    }
    return (await this.renew(token?.value)).value;
  }

  /** What the platform says of our current token (spec 4.4). */
  async info(): Promise<TokenInfo> {
    const operation = 'get token info';
    const response = await retrySafely(this.budget, this.closing, this.runtime, () =>
      this.accepted(operation, () =>
        this.authorized((accessToken) =>
          this.http.send({
            operation,
            repeatable: true,
            method: 'GET',
            path: '/oauth/token/info',
            accessToken,
            timeoutMs: this.options.http.readTimeoutMs,
          }),
        ),
      ),
    );
    return readTokenInfo(jsonObject(operation, response));
  }

  /** Whether a token, by default our current one, is valid (spec 4.3). */
  async introspect(token?: string): Promise<TokenIntrospection> {
    const operation = 'introspect token';
    const response = await this.postForm(operation, '/oauth/introspect', {
      token: token ?? (await this.get()),
    });
    return readIntrospection(jsonObject(operation, response));
  }

  /** Ends a token, by default our current one, which is then forgotten: the next call asks for a new one (spec 4.2). */
  async revoke(token?: string): Promise<void> {
    const value = token ?? this.cached?.value ?? (await this.vault.read())?.value;
    if (value === undefined) return;
    await this.postForm('revoke token', '/oauth/revoke', { token: value });
    if (this.cached?.value === value) this.cached = null;
    await this.vault.forget(value);
  }

  /**
   * Makes a call with our token. After a 401 the token is renewed, once for all callers, and the call repeated once: a
   * request that was refused for its token was not processed. A token that another replica had got is no renewal: it may have
   * ended with ours, and then a new one is asked for.
   * @internal
   */
  async authorized(
    call: (accessToken: string) => Promise<PlatformResponse>,
  ): Promise<PlatformResponse> {
    const token = await this.get();
    const response = await call(token);
    if (response.status !== 401) return response;
    const renewed = await this.renew(token);
    const repeated = await call(renewed.value);
    if (repeated.status !== 401 || !renewed.isShared) return repeated;
    return call((await this.renew(renewed.value)).value);
  }

  /** One renewal for all who ask while it is under way. `stale` is the token that will no longer do. */
  private renew(stale: string | undefined): Promise<CachedToken> {
    const { cached, failure } = this;
    if (cached && cached.value !== stale && this.runtime.elapsed() < cached.expiresAt)
      return Promise.resolve(cached);
    if (failure && this.runtime.elapsed() < failure.until)
      return Promise.reject(failure.error as Error);
    this.renewal ??= this.obtain(stale)
      .then((token) => (this.cached = token))
      .catch((error: unknown) => {
        this.failure = { error, until: this.runtime.elapsed() + FAILURE_HOLD_MS };
        throw error;
      })
      .finally(() => (this.renewal = null));
    return this.renewal;
  }

  /** From another replica through the vault, or from the platform, one replica at a time. */
  private async obtain(stale: string | undefined): Promise<CachedToken> {
    const leaseMs = this.options.http.tokenTimeoutMs * 2;
    const giveUpAt = this.runtime.elapsed() + leaseMs;
    for (;;) {
      const shared = await this.vault.read();
      if (shared && shared.value !== stale && !isDue(shared))
        return toCached(shared, true, this.runtime.elapsed());
      if (await this.vault.claimRenewal(leaseMs)) break;
      if (this.runtime.elapsed() > giveUpAt) {
        throw peerTimeout();
      }
      if (!(await this.closing.pause(PEER_POLL_MS))) throw peerTimeout();
    }
    try {
      const token = await this.request();
      await this.vault.save(token);
      return toCached(token, false, this.runtime.elapsed());
    } catch (error) {
      await this.vault.releaseRenewal();
      throw error;
    }
  }

  private async request(): Promise<LiveToken> {
    const operation = 'get token';
    const response = await this.postForm(operation, '/oauth/token', {
      grant_type: 'client_credentials',
    });
    return readToken(operation, jsonObject(operation, response));
  }

  private postForm(
    operation: string,
    path: string,
    fields: Record<string, string>,
  ): Promise<PlatformResponse> {
    const { clientId, clientSecret, http } = this.options;
    const form = new URLSearchParams({
      client_id: clientId,
      client_secret: clientSecret,
      ...fields,
    });
    return retrySafely(this.budget, this.closing, this.runtime, () =>
      this.accepted(operation, () =>
        this.http.send({
          operation,
          repeatable: true,
          method: 'POST',
          path,
          body: { type: 'application/x-www-form-urlencoded', text: form.toString() },
          timeoutMs: http.tokenTimeoutMs,
        }),
      ),
    );
  }

  private async accepted(
    operation: string,
    send: () => Promise<PlatformResponse>,
  ): Promise<PlatformResponse> {
    const response = await send();
    const error = answerError(operation, response);
    if (error) throw error;
    return response;
  }
}

function margin(expiresInMs: number): number {
  return Math.min(RENEWAL_MARGIN_MS, expiresInMs * RENEWAL_SHARE);
}

/** A shared token does not tell how long it was made for, so it counts as due a little before it ends. */
function isDue(token: LiveToken): boolean {
  return token.expiresInMs < 1_000;
}

function toCached(token: LiveToken, isShared: boolean, now: number): CachedToken {
  return {
    value: token.value,
    isShared,
    renewAt: now + token.expiresInMs - margin(token.expiresInMs),
    expiresAt: now + token.expiresInMs,
  };
}

function peerTimeout(): PlatformTimeoutError {
  return new PlatformTimeoutError(
    'get token',
    new Error('another replica did not finish its renewal'),
  );
}
