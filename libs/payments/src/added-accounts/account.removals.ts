import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { AccountsStore, type TransactionNumbers } from '../accounts/accounts.store.js';
import { EventDispatcher } from '../events/event.dispatcher.js';
import { KnownAccounts } from '../known.accounts.js';
import { doubled, REMOVED_ACCOUNTS } from '../runtime/backoff.js';
import { Runtime, type CancelTimer } from '../runtime/runtime.js';
import { SafeLogger } from '../runtime/safe.logger.js';

/** An account that is being removed. */
interface Leaving {
  /** Since when, in `Runtime.elapsed()`. */
  since: number;
  /** The number of the first transaction that certainly records nothing for it; null: not known yet. */
  recordedBefore: bigint | null;
}

/**
 * Removes accounts: they take no new requests at once, and are forgotten when nothing of them is open any more. One timer serves all of
 * them, and there is none while no account is being removed.
 */
@Injectable()
export class AccountRemovals implements OnModuleDestroy {
  private readonly logger = new SafeLogger();
  private readonly leaving = new Map<string, Leaving>();
  private cancel: CancelTimer | null = null;
  private isClosed = false;
  private checks = 0;

  constructor(
    private readonly store: AccountsStore,
    private readonly accounts: KnownAccounts,
    private readonly dispatcher: EventDispatcher,
    private readonly runtime: Runtime,
  ) {}

  /** The account takes no new requests from now on. */
  begin(account: string): void {
    this.accounts.put({ ...this.accounts.of(account), isRemoved: true });
    this.follow(account);
  }

  /** Forgets an account as soon as nothing of it is open, while it stays removed. */
  follow(account: string): void {
    this.leaving.set(account, { since: this.runtime.elapsed(), recordedBefore: null });
    this.checks = 0;
    this.cancel?.();
    this.cancel = null;
    this.checkLater();
  }

  onModuleDestroy(): void {
    this.isClosed = true;
    this.cancel?.();
  }

  private checkLater(): void {
    if (this.isClosed || this.leaving.size === 0) return;
    const { firstMs, longestMs } = REMOVED_ACCOUNTS;
    this.checks += 1;
    const waitMs = doubled(firstMs, longestMs, this.checks);
    this.cancel ??= this.runtime.timer(waitMs, () => void this.check(), { background: true });
  }

  private async check(): Promise<void> {
    try {
      const now = this.runtime.elapsed();
      const asked = [...this.leaving].filter(([, { since }]) => since < now);
      const transactions = await this.store.transactions();
      const busy = new Set(await this.store.withOpenWork(asked.map(([account]) => account)));
      for (const [account, leaving] of asked)
        if (!busy.has(account) && this.leaving.get(account) === leaving)
          this.forget(account, leaving, transactions);
    } catch (error) {
      this.logger.debug(`whether removed accounts have open work is not known: ${String(error)}`);
    }
    this.cancel = null;
    this.checkLater();
  }

  private forget(account: string, leaving: Leaving, { oldest, next }: TransactionNumbers): void {
    if (!this.accounts.has(account) || !this.accounts.of(account).isRemoved) {
      this.leaving.delete(account);
      return;
    }
    // A call that began before the removal has recorded its operation by then.
    const { sendBeforeMs } = this.accounts.of(account).sending;
    if (this.runtime.elapsed() - leaving.since < sendBeforeMs) return;
    // That of `record()` shows only when the transaction of the host ends, however long it takes.
    leaving.recordedBefore ??= next;
    if (oldest < leaving.recordedBefore) return;
    this.leaving.delete(account);
    this.accounts.forget(account);
    this.dispatcher.forget(account);
    this.logger.log(`account ${account} was removed, and nothing of it is open any more`);
  }
}
