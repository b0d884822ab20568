import { Injectable } from '@nestjs/common';
import { AccountRemovedError, SendingPausedError } from '../../payments-account-errors.js';
import { PausesStore } from '../../store/pauses.store.js';
import { BackgroundRequests, type Permit } from '../../work/background-requests.js';
import type { PaymentsSettings } from '../../work/payments.settings.js';
import { PlatformClocks, type PlatformClock } from '../../work/platform-clock.js';
import { PlatformWaits, type TrafficKind } from '../../work/platform-waits.js';
import type { TokensService } from '../tokens/tokens.service.js';
import { answerError } from './platform-answer.js';
import { PlatformHttp, type PlatformRequest, type PlatformResponse } from './platform-http.js';

/** What a create is for. `read`: it asks for something that the platform knows, as a polling request does. */
export type CreatePurpose = 'money' | 'read' | 'other';

/** `recorded`: it moves money, and its operation is stored. */
export type Purpose = CreatePurpose | 'recorded';

/** How a request is sent. */
interface How {
  traffic: TrafficKind;
  permit: Permit | null;
  /** Is awaited before the first byte. @param assertOpen throws while the platform wants no such requests */
  mayWrite?: (assertOpen: () => void) => Promise<void> | void;
  /** An answer came. The request may be sent again with another token. */
  answered?: () => void;
}

/** Sends single requests of any account, when its host and the platform allow them. It repeats one only with a newer token. */
@Injectable()
export class AuthorizedRequests {
  constructor(
    private readonly http: PlatformHttp,
    private readonly background: BackgroundRequests,
    private readonly waits: PlatformWaits,
    private readonly pauses: PausesStore,
    private readonly clocks: PlatformClocks,
  ) {}

  /** Sends a request with a token. What its answer asks of later ones is noted. */
  async send(
    tokens: TokensService,
    account: string,
    request: Omit<PlatformRequest, 'accessToken' | 'timeoutMs'>,
    { traffic, permit, mayWrite = (assertOpen) => assertOpen(), answered }: How,
  ): Promise<PlatformResponse> {
    const { operation } = request;
    const assertOpen = (): void => this.waits.assertOpen(account, traffic, operation);
    const answer = await tokens.authorized(async (accessToken, settings) => {
      if (traffic === 'others') await this.background.admit(account, operation, permit);
      const { readTimeoutMs, createTimeoutMs } = settings.http;
      const timeoutMs = request.repeatable ? readTimeoutMs : createTimeoutMs;
      const sent = { ...request, accessToken, timeoutMs };
      const received = await this.http.request(settings, sent, () => mayWrite(assertOpen));
      answered?.();
      return received;
    });
    this.waits.note(account, traffic, answerError(operation, answer));
    return answer;
  }

  clockOf({ baseUrl }: PaymentsSettings): PlatformClock {
    return this.clocks.at(baseUrl);
  }

  /** Sends a request without a token, only for the `Date` header of its answer. */
  askTime(settings: PaymentsSettings): Promise<PlatformResponse> {
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

  /**
   * @throws AccountRemovedError | SendingPausedError when a create must not be sent now
   * @throws StoreUnavailableError when the store does not say whether it may
   */
  async assertAllowed({ account, isRemoved }: PaymentsSettings, purpose: Purpose): Promise<void> {
    if (isRemoved && (purpose === 'money' || purpose === 'other'))
      throw new AccountRemovedError(account);
    const pause = movesMoney(purpose) ? await this.pauses.of(account) : null;
    if (pause) throw new SendingPausedError(pause);
  }
}

export function movesMoney(purpose: Purpose): boolean {
  return purpose === 'money' || purpose === 'recorded';
}
