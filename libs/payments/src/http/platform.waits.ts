import { Injectable } from '@nestjs/common';
import { PlatformRateLimitedError, PlatformUnavailableError } from '../payments.errors.js';
import { askedToWaitMs, CIRCUIT } from '../runtime/backoff.js';
import { Runtime } from '../runtime/runtime.js';
import { SafeLogger } from '../runtime/safe.logger.js';
import { TrafficStore } from '../runtime/traffic.store.js';

/** Tells all processes when the platform asks one of them to wait, so that ten replicas are one client. */
@Injectable()
export class PlatformWaits {
  private readonly logger = new SafeLogger();

  constructor(
    private readonly traffic: TrafficStore,
    private readonly runtime: Runtime,
  ) {}

  /** Never rejects, and is not awaited: the process that was asked waits in any case. */
  note(account: string, what: 'background' | 'creates', error: unknown): void {
    const isAsked =
      error instanceof PlatformRateLimitedError || error instanceof PlatformUnavailableError;
    if (!isAsked || error.retryAfterMs === null) return;
    // A wrong `Retry-After` must not stop requests for days: operations wait for them.
    const forMs = Math.min(error.retryAfterMs, CIRCUIT.longestRetryAfterMs);
    this.traffic
      .close(account, what, askedToWaitMs(this.runtime, forMs))
      .catch((failure: unknown) => {
        this.logger.debug(`the platform's Retry-After was not shared: ${String(failure)}`);
      });
  }
}
