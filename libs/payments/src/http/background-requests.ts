import { Injectable } from '@nestjs/common';
import { KnownAccounts } from '../known.accounts.js';
import { PlatformRateLimitedError, StoreUnavailableError } from '../payments.errors.js';
import { waitWhileClosed } from '../runtime/asked.wait.js';
import { TURN_IS_OLD_MS } from '../runtime/backoff.js';
import { CircuitBreaker } from '../runtime/circuit.breaker.js';
import { PerAccount } from '../runtime/per-account.js';
import { RateLimiter, type BackgroundRequest } from '../runtime/rate.limiter.js';
import { Runtime } from '../runtime/runtime.js';
import { ShutdownSignal } from '../runtime/shutdown.signal.js';
import { TrafficStore } from '../runtime/traffic.store.js';

/**
 * The turn of a background request, which may send several requests to the platform: repeats, and the same in the other version of the API. The
 * first one is sent in this turn. Each further one needs another.
 */
export interface Turn {
  readonly kind: BackgroundRequest;
  isUsed: boolean;
  /** When it was given, in `Runtime.elapsed()`. */
  readonly givenAt: number;
}

/**
 * Says when requests that move no money may be sent to the platform: at any time for a caller of the host, unless the platform asked to wait; and
 * in the background through the rate limiter and the circuit breaker of the account.
 */
@Injectable()
export class BackgroundRequests {
  private readonly limits: PerAccount<{ limiter: RateLimiter; breaker: CircuitBreaker }>;

  constructor(
    private readonly traffic: TrafficStore,
    private readonly shutdown: ShutdownSignal,
    accounts: KnownAccounts,
    private readonly runtime: Runtime,
  ) {
    this.limits = new PerAccount((account) => {
      const settings = accounts.of(account);
      const rate = (): number => settings.reconciliation.requestsPerSecond;
      return {
        limiter: new RateLimiter(account, traffic, shutdown, runtime, rate),
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
   * @param request sends requests in its turn only: `Resources.of(account, turn)`
   * @throws CircuitOpenError when the circuit is open, or too many requests wait; the request was not made
   * @throws StoreUnavailableError when the store does not answer; the request was not made
   */
  async run<T>(
    account: string,
    kind: BackgroundRequest,
    request: (turn: Turn) => Promise<T>,
  ): Promise<T> {
    const { limiter, breaker } = this.limits.of(account);
    breaker.assertClosed();
    await limiter.turn(kind);
    return breaker.run(() => request({ kind, isUsed: false, givenAt: this.runtime.elapsed() }));
  }

  /**
   * Resolves when a request that moves no money may be sent now.
   * @param turn null for a caller of the host
   * @throws PlatformRateLimitedError when the platform wants none for long
   * @throws CircuitOpenError when a background request gets no further turn
   */
  async admit(account: string, operation: string, turn: Turn | null): Promise<void> {
    if (!turn || turn.isUsed || this.isOld(turn.givenAt))
      await this.whileClosed(account, operation);
    if (turn?.isUsed) await this.limits.of(account).limiter.turn(turn.kind);
    if (turn) turn.isUsed = true;
  }

  /**
   * A request may wait for its connection after it was admitted.
   * @throws PlatformRateLimitedError when the platform asked meanwhile to wait
   */
  async admitAgain(account: string, operation: string, admittedAt: number): Promise<void> {
    if (!this.isOld(admittedAt)) return;
    const leftMs = await this.closedForMs(account);
    if (leftMs > 0) throw askedToWait(operation, leftMs);
  }

  private isOld(at: number): boolean {
    return this.runtime.elapsed() - at > TURN_IS_OLD_MS;
  }

  /** When it would wait too long, its caller decides by the error. */
  private async whileClosed(account: string, operation: string): Promise<void> {
    const closedForMs = (): Promise<number> => this.closedForMs(account);
    const leftMs = await waitWhileClosed(closedForMs, this.shutdown, this.runtime);
    if (leftMs > 0) throw askedToWait(operation, leftMs);
  }

  /** A read does not fail because the store is away: it moves no money. */
  private async closedForMs(account: string): Promise<number> {
    try {
      return (await this.traffic.hindrance(account)).closedForMs.others;
    } catch (error) {
      if (error instanceof StoreUnavailableError) return 0;
      throw error;
    }
  }
}

function askedToWait(operation: string, leftMs: number): PlatformRateLimitedError {
  return new PlatformRateLimitedError({ operation, status: 429, platformMessages: [] }, leftMs);
}
