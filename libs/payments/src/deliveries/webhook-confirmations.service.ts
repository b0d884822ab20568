import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { PaymentsAccounts } from '../payments.accounts.js';
import { PerAccount } from '../runtime/per-account.js';
import { ShutdownSignal } from '../runtime/shutdown.signal.js';
import { TillSweeper } from '../tills/till.sweeper.js';
import { SafeLogger } from '../runtime/safe.logger.js';

/** Webhooks whose transactions originated in one span of this length share one polling request. */
const SPAN_MS = 10 * 60_000;

/** How much longer than the span the read window is at both ends. */
const AROUND_MS = 60_000;

/** Limit of waiting spans of one account. Further spans are dropped: their webhooks are retried, and request them again. */
const MOST_WAITING = 100;

/** The reads of one account. */
interface AccountReads {
  /** The spans that wait, by their number. */
  waiting: Set<number>;
  running: Promise<void> | null;
}

/**
 * Reads transactions from the platform to confirm webhooks without a signature. One polling request serves all webhooks of a span.
 * A webhook does not wait for the read: it finds the transaction in the store when it is retried.
 */
@Injectable()
export class WebhookConfirmations implements OnModuleDestroy {
  private readonly logger = new SafeLogger();
  private readonly reads = new PerAccount<AccountReads>(() => ({
    waiting: new Set(),
    running: null,
  }));

  constructor(
    private readonly sweeper: TillSweeper,
    private readonly shutdown: ShutdownSignal,
    private readonly accounts: PaymentsAccounts,
  ) {}

  /** @param at when the transaction of the webhook originated */
  request(account: string, at: Date): void {
    const reads = this.reads.of(account);
    if (reads.waiting.size >= MOST_WAITING || !this.accounts.of(account).background) return;
    reads.waiting.add(Math.floor(at.getTime() / SPAN_MS));
    reads.running ??= this.run(account, reads.waiting).finally(() => (reads.running = null));
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    for (const { running } of this.reads.all()) await running;
  }

  private async run(account: string, waiting: Set<number>): Promise<void> {
    for (const span of waiting) {
      if (this.shutdown.signal.aborted) return;
      waiting.delete(span);
      const from = new Date(span * SPAN_MS - AROUND_MS);
      const to = new Date((span + 1) * SPAN_MS + AROUND_MS);
      try {
        await this.sweeper.sweep(account, from, to, null, 'confirmation');
      } catch (error) {
        this.logger.debug(
          `webhooks of account ${account} could not be confirmed for now: ${String(error)}`,
        );
      }
    }
  }
}
