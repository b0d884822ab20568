import { Inject, Injectable } from '@nestjs/common';
import { BackgroundPacer, type BackgroundRequest } from '../../http/background.pacer.js';
import { ClosingSignal } from '../../http/closing.signal.js';
import { RESOLVED_OPTIONS } from '../../payments.constants.js';
import {
  CircuitOpenError,
  PlatformRejectedError,
  PlatformResponseError,
  PlatformTimeoutError,
} from '../../payments.errors.js';
import type { ResolvedPaymentsOptions } from '../../payments.options.js';
import { Runtime } from '../../runtime/runtime.js';
import { CallbackUrls, SWEEP_PREFIX } from '../callback-urls.js';
import type { Transaction } from '../transaction.resource.js';
import { wireObject } from '../wire-value.js';
import type { Polling } from './polling.resource.js';
import { PollingService } from './polling.service.js';

/** Waits between looks at a result that is not ready, in milliseconds; the last one repeats. */
const LOOKS_MS = [250, 500, 1_000, 2_000, 5_000];
const PATIENCE_MS = 120_000;

/** Reads all transactions of a window on the platform's clock, for ourselves: no event, and at the set rate. */
@Injectable()
export class PollingWindowsReader {
  constructor(
    private readonly polling: PollingService,
    private readonly pacer: BackgroundPacer,
    private readonly urls: CallbackUrls,
    private readonly closing: ClosingSignal,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Resolves only with the whole window: a result that never becomes ready is an error, not an empty list.
   * @throws PlatformAnswerTooLargeError when the window holds more than one answer may: ask for a shorter one
   */
  async read(from: Date, to: Date, kind: BackgroundRequest = 'sweep'): Promise<Transaction[]> {
    const { scope, scopeReference } = this.options.reconciliation.sweepScope;
    const window = {
      scope,
      scopeReference,
      fromTime: from.toISOString(),
      toTime: to.toISOString(),
    };
    const callbackUrl = this.urls.callback('polling', SWEEP_PREFIX + this.runtime.id());
    const { id } = await this.pacer.run(kind, () => this.polling.send(window, callbackUrl));
    const giveUpAt = this.runtime.elapsed() + PATIENCE_MS;
    for (let looks = 0; this.runtime.elapsed() < giveUpAt; looks += 1) {
      if (!(await this.closing.pause(LOOKS_MS[Math.min(looks, LOOKS_MS.length - 1)] as number)))
        break;
      const polling = await this.pacer.run(kind, () => this.polling.get(id)).catch(notYet);
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

/** A list that cannot be read is not an empty one. */
function listed({ transactions, raw }: Polling): Transaction[] {
  const list = wireObject(wireObject(raw)?.['attributes'])?.['transactions'] ?? [];
  if (Array.isArray(list)) return transactions;
  throw new PlatformResponseError('read polling window', 200, 'its transactions are no list.');
}

/** A result may take a moment to be there at all, and at a low rate the turn to look at it comes late. */
function notYet(error: unknown): null {
  if (error instanceof PlatformRejectedError && error.status === 404) return null;
  if (error instanceof CircuitOpenError) return null;
  throw error;
}
