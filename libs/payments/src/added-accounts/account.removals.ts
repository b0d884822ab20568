import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { AccountsStore } from '../accounts/accounts.store.js';
import { EventDispatcher } from '../events/event.dispatcher.js';
import { KnownAccounts } from '../known.accounts.js';
import { doubled, REMOVED_ACCOUNTS } from '../runtime/backoff.js';
import { Runtime, type CancelTimer } from '../runtime/runtime.js';
import { SafeLogger } from '../runtime/safe.logger.js';

/**
 * Removes accounts: they take no new requests at once, and are forgotten when nothing of them is open any more. One timer serves all of
 * them, and there is none while no account is being removed.
 */
@Injectable()
export class AccountRemovals implements OnModuleDestroy {
  private readonly logger = new SafeLogger();
  /** The accounts that are being removed, and since when, in `Runtime.elapsed()`. */
  private readonly leaving = new Map<string, number>();
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
    this.leaving.set(account, this.runtime.elapsed());
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
      const asked = [...this.leaving].filter(([, since]) => since < this.runtime.elapsed());
      const busy = new Set(await this.store.withOpenWork(asked.map(([account]) => account)));
      for (const [account, since] of asked)
        if (!busy.has(account) && this.leaving.get(account) === since) this.forget(account, since);
    } catch (error) {
      this.logger.debug(`whether removed accounts have open work is not known: ${String(error)}`);
    }
    this.cancel = null;
    this.checkLater();
  }

  private forget(account: string, since: number): void {
    if (!this.accounts.has(account) || !this.accounts.of(account).isRemoved) {
      this.leaving.delete(account);
      return;
    }
    // An operation of `record()` shows only when the host's transaction ends.
    const { sendBeforeMs } = this.accounts.of(account).sending;
    if (this.runtime.elapsed() - since < sendBeforeMs) return;
    this.leaving.delete(account);
    this.accounts.forget(account);
    this.dispatcher.forget(account);
    this.logger.log(`account ${account} was removed, and nothing of it is open any more`);
  }
}
