import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { ClosingSignal } from '../http/closing.signal.js';
import { PaymentsStore } from '../ledger/payments.store.js';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';

const BATCH = 500;

/** A purge takes small bites; what is left waits for the next one. */
const MOST_BATCHES = 100;

/** The first purge comes this soon after the start. */
const FIRST_PURGE_MS = 5 * 60_000;

/** Forgets, in small batches, what is finished and old. */
@Injectable()
export class RetentionSchedule implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Tillkit');
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: PaymentsStore,
    private readonly closing: ClosingSignal,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
  ) {}

  onApplicationBootstrap(): void {
    const { everyMs } = this.options.retention;
    if (everyMs > 0 && this.options.background) this.loop = this.purgeOnSchedule(everyMs);
  }

  async onModuleDestroy(): Promise<void> {
    this.closing.close();
    await this.loop;
  }

  private async purgeOnSchedule(everyMs: number): Promise<void> {
    // A process that restarts often purges all the same.
    let inMs = Math.min(everyMs, FIRST_PURGE_MS);
    while (await this.closing.pause(inMs)) {
      await this.purge();
      inMs = everyMs;
    }
  }

  private async purge(): Promise<void> {
    const { account, retention } = this.options;
    try {
      for (let batch = 0; batch < MOST_BATCHES && !this.closing.signal.aborted; batch += 1) {
        const { redacted, removed } = await this.store.purge(account, {
          ...retention,
          limit: BATCH,
        });
        if (redacted + removed === 0) return;
      }
    } catch (error) {
      this.logger.warn(`retention ended early and will go on later: ${String(error)}`);
    }
  }
}
