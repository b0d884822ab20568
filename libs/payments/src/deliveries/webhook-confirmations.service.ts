import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { PaymentsAccounts } from '../payments.accounts.js';
import { ShutdownSignal } from '../runtime/shutdown.signal.js';
import { TillSweeper } from '../tills/till.sweeper.js';

/** Webhooks whose transactions originated in one span of this length share one polling request. */
const SPAN_MS = 10 * 60_000;

/** How much longer than the span the read window is at both ends. */
const AROUND_MS = 60_000;

/** Limit of waiting spans of all accounts. Further spans are dropped: their webhooks are retried, and request them again. */
const MOST_WAITING = 100;

/**
 * Reads transactions from the platform to confirm webhooks without a signature. One polling request serves all webhooks of a span.
 * A webhook does not wait for the read: it finds the transaction in the store when it is retried.
 */
@Injectable()
export class WebhookConfirmations implements OnModuleDestroy {
  private readonly logger = new Logger('Tillkit');
  /** Waiting spans, by `<account> <number>`. */
  private readonly spans = new Map<string, { account: string; span: number }>();
  private running: Promise<void> | null = null;

  constructor(
    private readonly sweeper: TillSweeper,
    private readonly shutdown: ShutdownSignal,
    private readonly accounts: PaymentsAccounts,
  ) {}

  /** @param at when the transaction of the webhook originated */
  request(account: string, at: Date): void {
    if (this.spans.size >= MOST_WAITING || !this.accounts.of(account).background) return;
    const span = Math.floor(at.getTime() / SPAN_MS);
    this.spans.set(`${account} ${span}`, { account, span });
    this.running ??= this.run().finally(() => (this.running = null));
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    await this.running;
  }

  private async run(): Promise<void> {
    for (const [key, { account, span }] of this.spans) {
      if (this.shutdown.signal.aborted) return;
      this.spans.delete(key);
      const from = new Date(span * SPAN_MS - AROUND_MS);
      const to = new Date((span + 1) * SPAN_MS + AROUND_MS);
      try {
        await this.sweeper.sweep(account, from, to, null, 'confirmation');
      } catch (error) {
        this.logger.debug(`webhooks could not be confirmed for now: ${String(error)}`);
      }
    }
  }
}
