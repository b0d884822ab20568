import { Injectable } from '@nestjs/common';
import { AccountRemovedError, SendingPausedError } from '../../account.errors.js';
import { PausesStore } from '../../store/pauses.store.js';
import {
  BackgroundRequests,
  type Permit,
  PlatformWaits,
  type TrafficKind,
} from '../background-requests.js';
import type { PaymentsSettings } from '../../accounts/payments.settings.js';
import { PlatformClocks, type PlatformClock } from '../platform-clock.js';
import type { TokensService } from '../tokens/tokens.service.js';
import { answerError, type PlatformRequest, type PlatformResponse } from './platform-answer.js';
import { Runtime } from '../../runtime/clock.js';
import { RefusedCreates } from './refused-creates.js';
import { freePermission, type WritePermission } from './write-permission.js';
import { PlatformHttp } from './platform-http.js';

/** Says what a create is for. `read`: it asks for something that the platform knows, as a polling request does. */
export type CreatePurpose = 'money' | 'read' | 'other';

/** `recorded`: it moves money, and its operation is stored. */
export type Purpose = CreatePurpose | 'recorded';

interface How {
  traffic: TrafficKind;
  permit: Permit | null;
  /**
   * Makes the permission to write the request. Each request that is sent for it, also one with a newer token, has a permission of its own.
   */
  permission?: () => WritePermission;
}

/** Sends single requests of any account, when its host and the platform allow them. It repeats one only with a newer token. */
@Injectable()
export class AuthorizedRequests {
  /**
   * The requests that learn the clock of a platform, by its origin and the account. Accounts do not share them, because another account may
   * have a proxy or interceptors that do not let the request through.
   */
  private readonly asking = new Map<string, Promise<unknown>>();

  constructor(
    private readonly http: PlatformHttp,
    private readonly background: BackgroundRequests,
    private readonly waits: PlatformWaits,
    private readonly pauses: PausesStore,
    private readonly clocks: PlatformClocks,
    readonly refused: RefusedCreates,
    private readonly runtime: Runtime,
  ) {}

  /** Sends a request with a token, and notes what its answer asks of later requests. */
  async send(
    tokens: TokensService,
    account: string,
    request: Omit<PlatformRequest, 'accessToken' | 'timeoutMs'>,
    { traffic, permit, permission }: How,
  ): Promise<PlatformResponse> {
    const { operation } = request;
    const answer = await tokens.authorized(async (accessToken, settings) => {
      if (traffic === 'others') await this.background.admit(account, operation, permit);
      const { readTimeoutMs, createTimeoutMs } = settings.http;
      const timeoutMs = request.repeatable ? readTimeoutMs : createTimeoutMs;
      const sent = { ...request, accessToken, timeoutMs };
      return this.http.request(
        settings,
        sent,
        permission?.() ??
          freePermission(operation, this.runtime, () =>
            this.assertOpen(settings, traffic, operation),
          ),
      );
    });
    this.waits.note(account, traffic, answerError(operation, answer));
    return answer;
  }

  /** @throws PlatformRateLimitedError while the platform wants no such requests */
  assertOpen({ account }: PaymentsSettings, traffic: TrafficKind, operation: string): void {
    this.waits.assertOpen(account, traffic, operation);
  }

  clockOf({ baseUrl }: PaymentsSettings): PlatformClock {
    return this.clocks.at(baseUrl);
  }

  /**
   * Learns the clock of the platform, unless it is known: by a request without a token, only for the `Date` header of its answer. All
   * callers of an account wait for one request.
   */
  async learnClock(
    settings: PaymentsSettings,
    repeat: (ask: () => Promise<unknown>) => Promise<unknown>,
  ): Promise<PlatformClock> {
    const clock = this.clockOf(settings);
    if (clock.isKnown) return clock;
    const key = `${settings.baseUrl} ${settings.account}`;
    const asking =
      this.asking.get(key) ??
      repeat(() => this.askTime(settings)).finally(() => this.asking.delete(key));
    this.asking.set(key, asking);
    await asking;
    return clock;
  }

  /** The answer of the platform could not be read, so no connection that is open now is used again. */
  distrust(settings: PaymentsSettings, path: string): void {
    this.http.distrust(settings, path);
  }

  private askTime(settings: PaymentsSettings): Promise<PlatformResponse> {
    return this.http.request(settings, {
      operation: 'read the clock',
      method: 'GET',
      // A token host has a clock of its own.
      path:
        settings.tokenBaseUrl === settings.baseUrl
          ? '/oauth/token/info'
          : '/api/v2/incoming_payments',
      repeatable: true,
      timeoutMs: settings.http.readTimeoutMs,
    });
  }

  /** @throws AccountRemovedError when the account takes no new requests */
  assertTaken({ account, isRemoved }: PaymentsSettings, purpose: Purpose): void {
    if (isRemoved && (purpose === 'money' || purpose === 'other'))
      throw new AccountRemovedError(account);
  }

  /**
   * @throws SendingPausedError when a create must not be sent now
   * @throws StoreUnavailableError when the store does not say whether it may
   */
  async assertNotPaused({ account }: PaymentsSettings, purpose: Purpose): Promise<void> {
    const pause = movesMoney(purpose) ? await this.pauses.current(account) : null;
    if (pause) throw new SendingPausedError(pause);
  }
}

export function movesMoney(purpose: Purpose): boolean {
  return purpose === 'money' || purpose === 'recorded';
}
