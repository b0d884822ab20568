import { Injectable } from '@nestjs/common';
import { AccountRegistry } from '../../accounts/account-registry.js';
import type { CurrentSettings, PaymentsSettings } from '../../accounts/payments.settings.js';
import { PlatformRejectedError, PlatformUnauthorizedError } from '../../platform.errors.js';
import { Runtime } from '../../runtime/clock.js';
import { LastingProblem } from '../../runtime/logging.js';
import { ShutdownSignal } from '../../runtime/shutdown-signal.js';
import { Concealed } from '../../runtime/validate-input.js';
import { TokensStore } from '../../store/tokens.store.js';
import { jsonObject, type PlatformResponse } from '../http/platform-answer.js';
import { PlatformHttp } from '../http/platform-http.js';
import { TokenRenewal } from './token-renewal.js';
import {
  applicationOf,
  readIntrospection,
  readTokenInfo,
  type TokenInfo,
  type TokenIntrospection,
  TokenVault,
} from './token-vault.js';

/**
 * Access tokens of the platform. The service requests one token for all callers and renews it before it expires. Calls to the
 * platform use it by themselves; an application rarely needs this service.
 * @see docs/conformance.md#tokens
 * @publicApi
 */
@Concealed()
export class TokensService {
  private made: TokenRenewal | null = null;
  private readonly refusal = new LastingProblem();

  constructor(
    private readonly http: PlatformHttp,
    private readonly tokensStore: TokensStore,
    private readonly accounts: AccountRegistry,
    private readonly shutdown: ShutdownSignal,
    private readonly settings: CurrentSettings,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Returns a valid access token, from the cache if possible. The token is a secret: do not log it.
   * @throws PlatformUnauthorizedError when client id or secret are wrong
   * @throws PlatformUnreachableError | PlatformTimeoutError | PlatformUnavailableError when the platform does not answer
   * @throws PlatformResponseError when the platform's answer has no usable token
   * @throws CircuitOpenError while the platform has asked to wait before the next token request
   */
  get(): Promise<string> {
    return this.withNewest((tokens) => tokens.get());
  }

  /**
   * Waits until the settings of the account are not too old: it may have been removed, or have another secret.
   * @internal
   */
  async upToDate(): Promise<void> {
    await this.accounts.refreshOld(this.settings.current.account);
  }

  /**
   * Says what this process knows of its token, without a request: it has a valid one, the last renewal failed, or it has needed none yet.
   * @internal
   */
  get status(): 'valid' | 'failing' | 'none' {
    return this.tokens.status;
  }

  /**
   * Reads what the platform says about our current token.
   * @throws PlatformError | PlatformUnreachableError | PlatformTimeoutError when the platform gives no usable answer
   */
  async info(): Promise<TokenInfo> {
    const operation = 'get token info';
    const response = await this.tokens.exchange(operation, 'about', () =>
      this.authorized((accessToken, settings) =>
        this.http.request(settings, {
          operation,
          repeatable: true,
          method: 'GET',
          path: '/oauth/token/info',
          accessToken,
          timeoutMs: settings.http.readTimeoutMs,
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
    const response = await this.withNewest(async (tokens) =>
      tokens.postForm(operation, 'about', '/oauth/introspect', {
        token: token ?? (await tokens.get()),
      }),
    );
    return readIntrospection(jsonObject(operation, response));
  }

  /**
   * Revokes a token. After our current token is revoked, the next call to the platform requests a new one.
   * @param token the token. @default our current one
   * @throws PlatformError | PlatformUnreachableError | PlatformTimeoutError when the platform does not confirm
   */
  async revoke(token?: string): Promise<void> {
    const { tokens } = this;
    const value = token ?? tokens.value ?? (await tokens.vault.read())?.value;
    if (value === undefined) return;
    await tokens.postForm('revoke token', 'about', '/oauth/revoke', { token: value });
    tokens.remove(value);
    await tokens.vault.delete(value);
  }

  /**
   * Makes a call with our token, and with the settings that it belongs to. After a 401 it renews the token, once for all callers, and repeats the call
   * once, with the newest settings: the platform does not process a request with an invalid token. If the renewed token comes from another replica, it
   * may be revoked as well. Then a second 401 requests a new token, and the call is repeated once more.
   * @internal
   */
  authorized(
    call: (accessToken: string, settings: PaymentsSettings) => Promise<PlatformResponse>,
  ): Promise<PlatformResponse> {
    return this.withNewest(async (tokens, settings) => {
      const token = await tokens.get();
      const sentAt = this.runtime.elapsed();
      const response = await call(token, settings);
      if (response.status !== 401) return response;
      const { tokens: newest } = this;
      const { current } = this.settings;
      const renewed = await newest.renew(token, sentAt);
      const repeated = await call(renewed.value, current);
      if (repeated.status !== 401 || !renewed.isShared) return repeated;
      return call((await newest.renew(renewed.value)).value, current);
    });
  }

  /** Repeats a call once when the platform refuses the client and the account has other settings by then: its secret may be new. */
  private async withNewest<T>(
    use: (tokens: TokenRenewal, settings: PaymentsSettings) => Promise<T>,
  ): Promise<T> {
    await this.upToDate();
    const { tokens } = this;
    try {
      return await use(tokens, this.settings.current);
    } catch (error) {
      const isRefused =
        error instanceof PlatformUnauthorizedError || error instanceof PlatformRejectedError;
      if (!isRefused) throw error;
      await this.accounts.reload(this.settings.current.account);
      if (this.tokens === tokens) throw error;
      return use(this.tokens, this.settings.current);
    }
  }

  /** The tokens of the settings that the account has now. */
  private get tokens(): TokenRenewal {
    const { current } = this.settings;
    const { made } = this;
    if (made && hasSameTokens(made.settings, current)) {
      // Other settings that have changed, such as a certificate, count from the next request on.
      made.settings = current;
      return made;
    }
    return (this.made = new TokenRenewal(
      current,
      new TokenVault(this.tokensStore, current),
      this.http,
      this.accounts,
      this.refusal,
      this.shutdown,
      this.runtime,
    ));
  }
}

function hasSameTokens(one: PaymentsSettings, other: PaymentsSettings): boolean {
  if (one === other) return true;
  return applicationOf(one) === applicationOf(other) && one.clientSecret === other.clientSecret;
}

/** Makes the service that keeps the token of an account. */
@Injectable()
export class AccountTokens {
  constructor(
    private readonly http: PlatformHttp,
    private readonly store: TokensStore,
    private readonly accounts: AccountRegistry,
    private readonly shutdown: ShutdownSignal,
    private readonly runtime: Runtime,
  ) {}

  service(settings: CurrentSettings): TokensService {
    const { http, store, accounts, shutdown, runtime } = this;
    return new TokensService(http, store, accounts, shutdown, settings, runtime);
  }
}
