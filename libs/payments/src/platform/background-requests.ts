import { Injectable } from '@nestjs/common';
import { AccountRegistry } from '../accounts/account-registry.js';
import { PlatformRateLimitedError } from '../platform.errors.js';
import { Runtime, SECOND } from '../runtime/clock.js';
import {
  askedByMs,
  type BackgroundRequest,
  CircuitBreaker,
  RateLimiter,
} from '../runtime/limits.js';
import { PerAccount } from '../runtime/per-account.js';
import { waitWhileClosed } from '../runtime/retry.js';
import { ShutdownSignal } from '../runtime/shutdown-signal.js';

/** This is shorter than the lease of a delivery, and longer than the wait for the rate limiter. */
const CONFIRM_WITHIN_MS = 20 * SECOND;

/** Requests to the platform: `creates` move money, `others` do not. The platform may accept one kind while it refuses the other. */
export type TrafficKind = 'creates' | 'others';

/**
 * Knows until when the platform has asked this process to make no requests of an account. Each process is asked on its own: if all
 * processes asked the store before each request, it would cost more than the few requests that the platform refuses meanwhile.
 */
@Injectable()
export class PlatformWaits {
  /** The end of each wait by account and kind, in `Runtime.elapsed()`. */
  private readonly until: PerAccount<Record<TrafficKind, number>>;

  constructor(
    accounts: AccountRegistry,
    private readonly runtime: Runtime,
  ) {
    this.until = new PerAccount(() => ({ creates: 0, others: 0 }), accounts.closed$);
  }

  /** Notes the wait that an answer of the platform asks for. A later end that is known stays. */
  note(account: string, kind: TrafficKind, error: unknown): void {
    const forMs = askedByMs(error);
    if (forMs === null) return;
    const until = this.until.get(account);
    until[kind] = Math.max(until[kind], this.runtime.elapsed() + forMs);
  }

  /** Returns the milliseconds until the platform wants requests again; 0 when it wants them now. */
  leftMs(account: string, kind: TrafficKind): number {
    return Math.max(0, this.until.get(account)[kind] - this.runtime.elapsed());
  }

  /** @throws PlatformRateLimitedError while the platform wants no such requests */
  assertOpen(account: string, kind: TrafficKind, operation: string): void {
    const leftMs = this.leftMs(account, kind);
    if (leftMs > 0)
      throw new PlatformRateLimitedError({ operation, status: 429, platformMessages: [] }, leftMs);
  }
}

/**
 * The permit of a background request, which may send several requests to the platform: repeats, and the same in the other version of the
 * API. The first one uses this permit. Each further one needs another.
 */
export interface Permit {
  readonly kind: BackgroundRequest;
  isUsed: boolean;
}

/**
 * Says when requests that move no money may be sent to the platform. A caller of the host may send them at any time, unless the platform
 * asked to wait. A background request needs the rate limiter and the circuit breaker of the account.
 */
@Injectable()
export class BackgroundRequests {
  private readonly limits: PerAccount<{ limiter: RateLimiter; breaker: CircuitBreaker }>;

  constructor(
    private readonly waits: PlatformWaits,
    private readonly shutdown: ShutdownSignal,
    accounts: AccountRegistry,
    private readonly runtime: Runtime,
  ) {
    this.limits = new PerAccount((account) => {
      const settings = accounts.following(account);
      const rate = (): number => settings.current.reconciliation.requestsPerSecond;
      return {
        limiter: new RateLimiter(shutdown, runtime, rate),
        breaker: new CircuitBreaker(runtime),
      };
    }, accounts.closed$);
  }

  /** Returns the accounts whose circuit is open in this process. */
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
    const { limiter, breaker } = this.limits.get(account);
    breaker.assertClosed();
    await limiter.permit(kind);
    return breaker.run(() => request({ kind, isUsed: false }));
  }

  /** Reads what the platform confirms, in less time than the lease of the caller that waits for it. */
  confirm<T>(
    account: string,
    kind: BackgroundRequest,
    read: (permit: Permit) => Promise<T>,
  ): Promise<T> {
    return this.runtime.inTime(
      this.run(account, kind, read),
      CONFIRM_WITHIN_MS,
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
    // This throws when the wait would be too long, so that the caller decides.
    this.waits.assertOpen(account, 'others', operation);
    if (permit?.isUsed) await this.limits.get(account).limiter.permit(permit.kind);
    if (permit) permit.isUsed = true;
  }
}
