import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { ClosingSignal } from '../http/closing.signal.js';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { TillSweeper } from '../ledger/till.sweeper.js';

/** Webhooks of one span of this length share one request. */
const SPAN_MS = 10 * 60_000;

/** How far around the time of a webhook is asked. */
const AROUND_MS = 60_000;

/** Spans that wait. More are dropped: their webhooks are tried again, and ask again. */
const MOST_WAITING = 100;

/**
 * Asks the platform for the transactions around webhooks that only their URL vouches for. One request serves all webhooks of a
 * span, and whoever asked does not wait for it: it finds the transaction in the store when it is tried again.
 */
@Injectable()
export class HintedSweeps implements OnModuleDestroy {
  private readonly logger = new Logger('Tillkit');
  private readonly spans = new Set<number>();
  private running: Promise<void> | null = null;

  constructor(
    private readonly sweeper: TillSweeper,
    private readonly closing: ClosingSignal,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
  ) {}

  /** @param at when the money of the webhook originated */
  request(at: Date): void {
    if (this.spans.size >= MOST_WAITING || !this.options.background) return;
    this.spans.add(Math.floor(at.getTime() / SPAN_MS));
    this.running ??= this.run().finally(() => (this.running = null));
  }

  async onModuleDestroy(): Promise<void> {
    this.closing.close();
    await this.running;
  }

  private async run(): Promise<void> {
    for (const span of this.spans) {
      if (this.closing.signal.aborted) return;
      this.spans.delete(span);
      const from = new Date(span * SPAN_MS - AROUND_MS);
      const to = new Date((span + 1) * SPAN_MS + AROUND_MS);
      try {
        await this.sweeper.sweep(from, to, null, 'confirmation');
      } catch (error) {
        this.logger.debug(`webhooks could not be confirmed for now: ${String(error)}`);
      }
    }
  }
}
