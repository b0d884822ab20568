import { Injectable } from '@nestjs/common';
import { KnownAccounts } from '../known.accounts.js';
import { CircuitBreaker } from '../runtime/circuit.breaker.js';
import { PerAccount } from '../runtime/per-account.js';
import { RateLimiter, type BackgroundRequest } from '../runtime/rate.limiter.js';
import { Runtime } from '../runtime/runtime.js';
import { ShutdownSignal } from '../runtime/shutdown.signal.js';
import { TrafficStore } from '../runtime/traffic.store.js';

/** Sends requests that no caller of the host waits for: through the rate limiter and the circuit breaker of their account. */
@Injectable()
export class BackgroundRequests {
  private readonly limits: PerAccount<{ limiter: RateLimiter; breaker: CircuitBreaker }>;

  constructor(
    traffic: TrafficStore,
    shutdown: ShutdownSignal,
    accounts: KnownAccounts,
    runtime: Runtime,
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

  /**
   * Makes a request as soon as the rate limiter allows it.
   * @throws CircuitOpenError when the circuit is open, or too many requests wait; the request was not made
   * @throws StoreUnavailableError when the store does not answer; the request was not made
   */
  async run<T>(account: string, kind: BackgroundRequest, request: () => Promise<T>): Promise<T> {
    const { limiter, breaker } = this.limits.of(account);
    breaker.assertClosed();
    await limiter.turn(kind);
    return breaker.run(request);
  }
}
