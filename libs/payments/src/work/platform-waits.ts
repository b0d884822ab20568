import { Injectable } from '@nestjs/common';
import { KnownAccounts } from './known-accounts.js';
import { PlatformRateLimitedError } from '../payments.errors.js';
import { askedByMs } from './circuit-breaker.js';
import { PerAccount } from './per-account.js';
import { Runtime } from './runtime.js';

/** Requests to the platform: `creates` move money, `others` do not. The platform may want those, and not these. */
export type TrafficKind = 'creates' | 'others';

/**
 * Until when the platform has asked this process to make no requests of an account. Each process is asked on its own: a store that all of them
 * ask before each request would cost more than the few requests that the platform refuses meanwhile.
 */
@Injectable()
export class PlatformWaits {
  /** By account and kind, in `Runtime.elapsed()`. */
  private readonly until: PerAccount<Record<TrafficKind, number>>;

  constructor(
    accounts: KnownAccounts,
    private readonly runtime: Runtime,
  ) {
    this.until = new PerAccount(() => ({ creates: 0, others: 0 }), accounts.forgotten$);
  }

  /** Notes what an answer of the platform asks for. A later end that is known stays. */
  note(account: string, kind: TrafficKind, error: unknown): void {
    const forMs = askedByMs(error);
    if (forMs === null) return;
    const until = this.until.of(account);
    until[kind] = Math.max(until[kind], this.runtime.elapsed() + forMs);
  }

  /** Milliseconds until the platform wants requests again; 0: it wants them now. */
  leftMs(account: string, kind: TrafficKind): number {
    return Math.max(0, this.until.of(account)[kind] - this.runtime.elapsed());
  }

  /** @throws PlatformRateLimitedError while the platform wants no such requests */
  assertOpen(account: string, kind: TrafficKind, operation: string): void {
    const leftMs = this.leftMs(account, kind);
    if (leftMs > 0)
      throw new PlatformRateLimitedError({ operation, status: 429, platformMessages: [] }, leftMs);
  }
}
