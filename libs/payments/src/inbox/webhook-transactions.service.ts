import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { AccountRegistry } from '../accounts/account-registry.js';
import type { ArrivingDelivery, ObservedTransaction } from '../ledger/arriving-delivery.js';
import { minorOf, moneyKey, sumOf } from '../money/transaction-sameness.js';
import type { Transaction } from '../money/transaction.js';
import { Runtime } from '../runtime/clock.js';
import { SafeLogger } from '../runtime/logging.js';
import { PerAccount } from '../runtime/per-account.js';
import { ShutdownSignal } from '../runtime/shutdown-signal.js';
import type { ClaimedDelivery, NewDelivery } from '../store/deliveries.store.js';
import { TransactionsStore } from '../store/transactions.store.js';
import { TillSweeper } from '../tills/till-sweeper.js';
import { TillTransactionsService } from '../tills/till-transactions.service.js';
import type { DeliveryOutcome } from './delivery-outcome.js';
import type { Message } from './delivery-parser.js';

/** Webhooks whose transactions originated in one span of this length share one polling request. */
const SPAN_MS = 10 * 60_000;

/** The read window is this much longer than the span at both ends. */
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

interface AccountReads {
  /** The time at which the last read of each span started, in `Runtime.elapsed()`. */
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
    private readonly accounts: AccountRegistry,
    private readonly runtime: Runtime,
  ) {
    this.reads = new PerAccount<AccountReads>(
      () => ({ startedAt: new Map(), waiting: new Set(), running: null }),
      accounts.closed$,
    );
  }

  /**
   * @param at when the transaction of the webhook originated
   * @param ageMs time since the webhook arrived
   */
  request(account: string, at: Date, ageMs: number): void {
    const reads = this.reads.get(account);
    if (reads.waiting.size >= MOST_WAITING || !this.accounts.settings(account).background) return;
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

type TransactionMessage = Message & { kind: 'transaction' };

/** Applies webhooks that report a transaction at a till. */
@Injectable()
export class WebhookTransactionsService {
  constructor(
    private readonly transactions: TillTransactionsService,
    private readonly transactionsStore: TransactionsStore,
    private readonly confirmations: WebhookConfirmations,
    private readonly accounts: AccountRegistry,
  ) {}

  async apply(delivery: ClaimedDelivery, message: TransactionMessage): Promise<DeliveryOutcome> {
    const { account } = delivery;
    if (!(await this.transactions.concerns(account, message.transaction)))
      return { kind: 'applied', note: 'its till is none of the account: nothing is kept of it' };
    const observed = { ...observedIn(delivery, message), finishes: delivery };
    if (delivery.verifiedBy === 'signature') return this.observe(observed, delivery.ageMs);
    const confirmed = await this.confirmed(account, message);
    if (confirmed) {
      const shown = { ...observed, via: 'sweep', transaction: confirmed } as const;
      return this.observe(shown, delivery.ageMs);
    }
    if (message.at) this.confirmations.request(account, message.at, delivery.ageMs);
    return { kind: 'unmatched', why: 'the platform does not list this transaction' };
  }

  /** Money without a record here is stored before it is looked for: to read first would make the answers to all webhooks wait. */
  async applyAtOnce(
    delivery: NewDelivery,
    message: TransactionMessage,
    arriving: ArrivingDelivery,
  ): Promise<void> {
    const { transaction, reversal } = message;
    const key = moneyKey(transaction);
    if (!key || reversal || !(await arriving.isKnown(key, transaction))) return;
    await this.transactions.observeAtOnce(observedIn(delivery, message), arriving);
  }

  private async observe(observed: ObservedTransaction, ageMs: number): Promise<DeliveryOutcome> {
    const outcome = await this.transactions.observe(observed, ageMs);
    switch (outcome.kind) {
      case 'applied':
        return outcome;
      case 'unnamed':
        return {
          kind: 'unrecognised',
          why: 'the transaction has no reference, id or till by which it could be recognised, or its reference stands at too many tills',
        };
      case 'wait':
        return {
          ...outcome,
          why: 'a payment that it may be the money of has no outcome yet',
        };
    }
  }

  /** Returns the stored transaction with the same reference, till and amount, which the platform showed in a read; null when there is none. */
  private async confirmed(
    account: string,
    { transaction, reversal }: TransactionMessage,
  ): Promise<Transaction | null> {
    const key = moneyKey(transaction);
    if (!key) return null;
    const record = await this.transactionsStore.find(account, key.reference);
    const sum = sumOf(record, key, this.accounts.settings(account).tillAliases);
    const shown = reversal ? sum?.reversal : sum?.received;
    if (!shown || shown.currency !== transaction.currency) return null;
    if (minorOf(shown) !== minorOf(transaction)) return null;
    // A list may have a type of which no kind is known.
    return { ...shown, kind: shown.kind ?? transaction.kind };
  }
}

function observedIn(
  { account, id }: Pick<NewDelivery, 'account' | 'id'>,
  { transaction, reversal, eventId }: TransactionMessage,
): ObservedTransaction {
  return {
    account,
    via: 'webhook',
    transaction,
    reversal,
    webhookEventId: eventId,
    webhookDeliveryId: id,
    announce: true,
  };
}
