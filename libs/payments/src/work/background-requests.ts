import { Injectable } from '@nestjs/common';
import { KnownAccounts } from './known-accounts.js';
import { waitWhileClosed } from './asked-wait.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { DELIVERY_WORK } from './backoff.js';
import { PerAccount } from './per-account.js';
import { RateLimiter, type BackgroundRequest } from './rate-limiter.js';
import { Runtime } from './runtime.js';
import { ShutdownSignal } from './shutdown-signal.js';
import { PlatformWaits } from './platform-waits.js';

/**
 * The permit of a background request, which may send several requests to the platform: repeats, and the same in the other version of the API. The
 * first one is sent in this permit. Each further one needs another.
 */
export interface Permit {
  readonly kind: BackgroundRequest;
  isUsed: boolean;
}

/**
 * Says when requests that move no money may be sent to the platform: at any time for a caller of the host, unless the platform asked to wait; and
 * in the background through the rate limiter and the circuit breaker of the account.
 */
@Injectable()
export class BackgroundRequests {
  private readonly limits: PerAccount<{ limiter: RateLimiter; breaker: CircuitBreaker }>;

  constructor(
    private readonly waits: PlatformWaits,
    private readonly shutdown: ShutdownSignal,
    accounts: KnownAccounts,
    private readonly runtime: Runtime,
  ) {
    this.limits = new PerAccount((account) => {
      const settings = accounts.following(account);
      const rate = (): number => settings.current.reconciliation.requestsPerSecond;
      return {
        limiter: new RateLimiter(shutdown, runtime, rate),
        breaker: new CircuitBreaker(runtime),
      };
    }, accounts.forgotten$);
  }

  /** The accounts whose circuit is open in this process. */
  openCircuits(): string[] {
    return this.limits
      .entries()
      .filter(([, { breaker }]) => breaker.isOpen)
      .map(([account]) => account);
  }

  /**
   * Makes a request as soon as the rate limiter allows it.
   * @param request sends requests in its permit only: `Resources.of(account, permit)`
   * @throws CircuitOpenError when the circuit is open, or too many requests wait; the request was not made
   */
  async run<T>(
    account: string,
    kind: BackgroundRequest,
    request: (permit: Permit) => Promise<T>,
  ): Promise<T> {
    const { limiter, breaker } = this.limits.of(account);
    breaker.assertClosed();
    await limiter.permit(kind);
    return breaker.run(() => request({ kind, isUsed: false }));
  }

  /** Reads what the platform confirms, for less time than the lease of who waits for it. */
  confirm<T>(
    account: string,
    kind: BackgroundRequest,
    read: (permit: Permit) => Promise<T>,
  ): Promise<T> {
    return this.runtime.inTime(
      this.run(account, kind, read),
      DELIVERY_WORK.confirmWithinMs,
      () => new Error('the platform could not be read in time'),
    );
  }

  /**
   * Resolves when a request that moves no money may be sent now.
   * @param permit null for a caller of the host
   * @throws PlatformRateLimitedError when the platform wants none for long
   * @throws CircuitOpenError when a background request gets no further permit
   */
  async admit(account: string, operation: string, permit: Permit | null): Promise<void> {
    const closedForMs = (): number => this.waits.leftMs(account, 'others');
    await waitWhileClosed(closedForMs, this.shutdown, this.runtime);
    // When the wait would be too long, its caller decides by the error.
    this.waits.assertOpen(account, 'others', operation);
    if (permit?.isUsed) await this.limits.of(account).limiter.permit(permit.kind);
    if (permit) permit.isUsed = true;
  }
}
