import { Injectable } from '@nestjs/common';
import { askedByMs } from '../runtime/circuit.breaker.js';
import { retryWhileStoreIsAway } from '../runtime/retry.js';
import { Runtime } from '../runtime/runtime.js';
import { SafeLogger } from '../runtime/safe.logger.js';
import { ShutdownSignal } from '../runtime/shutdown.signal.js';
import { TrafficStore, type TrafficKind } from '../runtime/traffic.store.js';

/** Tells all processes when the platform asks one of them to wait, so that ten replicas are one client. */
@Injectable()
export class PlatformWaits {
  private readonly logger = new SafeLogger();

  constructor(
    private readonly traffic: TrafficStore,
    private readonly shutdown: ShutdownSignal,
    private readonly runtime: Runtime,
  ) {}

  /** Never rejects, and is not awaited: what the process was asked for waits in any case. */
  note(account: string, kind: TrafficKind, error: unknown): void {
    const forMs = askedByMs(error, this.runtime);
    if (forMs === null) return;
    const until = this.runtime.elapsed() + forMs;
    const close = (): Promise<void> =>
      this.traffic.close(account, kind, Math.max(0, until - this.runtime.elapsed()));
    retryWhileStoreIsAway(this.shutdown, this.runtime, forMs, close).catch((failure: unknown) => {
      this.logger.debug(`the platform's Retry-After was not shared: ${String(failure)}`);
    });
  }
}
