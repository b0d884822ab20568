import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { KnownAccounts } from '../work/known-accounts.js';
import { PerAccount } from '../work/per-account.js';
import { Runtime } from '../work/runtime.js';
import { ShutdownSignal } from '../work/shutdown-signal.js';
import { TillSweeper } from '../tills/till-sweeper.js';
import { SafeLogger } from '../work/safe-logger.js';

/** Webhooks whose transactions originated in one span of this length share one polling request. */
const SPAN_MS = 10 * 60_000;

/** How much longer than the span the read window is at both ends. */
const AROUND_MS = 60_000;

/** Limit of waiting spans of one account. Further spans are dropped: their webhooks are retried, and request them again. */
const MOST_WAITING = 100;

/**
 * A webhook that a read did not confirm causes another read when it is a quarter older: webhooks that can never be confirmed must not
 * use up the rate.
 */
const AGAIN_AFTER_SHARE = 0.25;

/** Limit of remembered reads of one account. */
const MOST_REMEMBERED = 1_000;

/** The reads of one account. */
interface AccountReads {
  /** When the last read of each span started, in `Runtime.elapsed()`. */
  startedAt: Map<number, number>;
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
  private readonly reads: PerAccount<AccountReads>;

  constructor(
    private readonly sweeper: TillSweeper,
    private readonly shutdown: ShutdownSignal,
    private readonly accounts: KnownAccounts,
    private readonly runtime: Runtime,
  ) {
    this.reads = new PerAccount<AccountReads>(
      () => ({ startedAt: new Map(), waiting: new Set(), running: null }),
      accounts.forgotten$,
    );
  }

  /**
   * @param at when the transaction of the webhook originated
   * @param ageMs time since the webhook arrived
   */
  request(account: string, at: Date, ageMs: number): void {
    const reads = this.reads.of(account);
    if (reads.waiting.size >= MOST_WAITING || !this.accounts.of(account).background) return;
    const span = Math.floor(at.getTime() / SPAN_MS);
    const startedAt = reads.startedAt.get(span);
    const sinceMs = startedAt === undefined ? null : this.runtime.elapsed() - startedAt;
    if (sinceMs !== null && sinceMs < ageMs * AGAIN_AFTER_SHARE) return;
    reads.waiting.add(span);
    reads.running ??= this.run(account, reads).finally(() => (reads.running = null));
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    for (const { running } of this.reads.all()) await running;
  }

  private async run(account: string, { waiting, startedAt }: AccountReads): Promise<void> {
    for (const span of waiting) {
      if (this.shutdown.signal.aborted) return;
      waiting.delete(span);
      this.remember(startedAt, span);
      const from = new Date(span * SPAN_MS - AROUND_MS);
      const to = new Date((span + 1) * SPAN_MS + AROUND_MS);
      try {
        await this.sweeper.sweep(account, { from, to }, null, 'hint');
      } catch (error) {
        startedAt.delete(span);
        this.logger.debug(`webhooks could not be confirmed for now: ${String(error)}`, { account });
      }
    }
  }

  private remember(startedAt: Map<number, number>, span: number): void {
    startedAt.delete(span);
    startedAt.set(span, this.runtime.elapsed());
    const [oldest] = startedAt.keys();
    if (startedAt.size > MOST_REMEMBERED) startedAt.delete(oldest as number);
  }
}
