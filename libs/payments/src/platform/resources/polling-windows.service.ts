import { Injectable } from '@nestjs/common';
import { BackgroundRequests } from '../background-requests.js';
import {
  CircuitOpenError,
  PlatformRejectedError,
  PlatformResponseError,
  PlatformTimeoutError,
} from '../../platform.errors.js';
import { AccountRegistry } from '../../accounts/account-registry.js';
import { Runtime, SECOND } from '../../runtime/clock.js';
import type { BackgroundRequest } from '../../runtime/limits.js';
import { ShutdownSignal } from '../../runtime/shutdown-signal.js';
import { SWEEP_PREFIX, CallbackUrls } from '../callback-urls.js';
import type { Transaction } from '../../money/transaction.js';
import { wireObject } from '../wire-value.js';
import type { Polling } from './polling.service.js';
import { Resources } from '../resources.js';

/** Reads of a polling result until it is ready. */
const RESULT = {
  /** Waits before the reads; the last one repeats. */
  waitsMs: [250, 500, SECOND, 2 * SECOND, 5 * SECOND],
  giveUpAfterMs: 120 * SECOND,
} as const;

/** All that the platform lists of a time window. */
export interface Listed {
  transactions: Transaction[];
  /** The number of further items, in which no transaction can be read. Each of them may be money. */
  unread: number;
}

/** Reads all transactions of a time window for our own use, as background requests. It emits no event. */
@Injectable()
export class PollingWindowsService {
  constructor(
    private readonly resources: Resources,
    private readonly background: BackgroundRequests,
    private readonly urls: CallbackUrls,
    private readonly accounts: AccountRegistry,
    private readonly shutdown: ShutdownSignal,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Resolves with all transactions of the window, never with a part of them.
   * @param from start of the window, by the platform's clock
   * @param to end of the window, by the platform's clock
   * @throws PlatformAnswerTooLargeError when the window has too many transactions for one answer: read a shorter one
   * @throws PlatformTimeoutError when the result does not become ready
   */
  async read(
    account: string,
    from: Date,
    to: Date,
    kind: BackgroundRequest = 'sweep',
  ): Promise<Listed> {
    const { scope, scopeReference } = this.accounts.settings(account).reconciliation.sweepScope;
    const window = {
      scope,
      scopeReference,
      fromTime: from.toISOString(),
      toTime: to.toISOString(),
    };
    const callbackUrl = this.urls.callback(account, 'polling', SWEEP_PREFIX + this.runtime.id());
    const { id } = await this.background.run(account, kind, (permit) =>
      this.resources.resources(account, permit).polling.post(window, callbackUrl),
    );
    const giveUpAt = this.runtime.elapsed() + RESULT.giveUpAfterMs;
    for (let reads = 0; this.runtime.elapsed() < giveUpAt; reads += 1) {
      if (
        !(await this.shutdown.pause(
          RESULT.waitsMs[Math.min(reads, RESULT.waitsMs.length - 1)] as number,
        ))
      )
        break;
      const polling = await this.background
        .run(account, kind, (permit) => this.resources.resources(account, permit).polling.get(id))
        .catch(notYet);
      if (polling?.status === 'Success') return listed(polling);
      if (polling?.status === 'Failed')
        throw new PlatformResponseError('read polling window', 200, 'it failed.');
    }
    throw new PlatformTimeoutError(
      'read polling window',
      new Error('its result did not become ready'),
    );
  }
}

/** Returns the listed transactions. Throws when there is no list: it must not count as empty. */
function listed({ transactions, unreadable, raw }: Polling): Listed {
  const list = wireObject(raw['attributes'])?.['transactions'];
  if (Array.isArray(list)) return { transactions, unread: unreadable };
  throw new PlatformResponseError('read polling window', 200, 'its transactions are no list.');
}

/** Ignores errors of a result that is not ready: the platform may answer 404 at first, and the rate limiter may refuse. */
function notYet(error: unknown): null {
  if (error instanceof PlatformRejectedError && error.status === 404) return null;
  if (error instanceof CircuitOpenError) return null;
  throw error;
}
