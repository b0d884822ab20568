import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { AccountsStore } from '../store/accounts.store.js';
import { AddedAccounts } from './added-accounts.js';
import { AccountOpenings } from './account-openings.js';
import { KnownAccounts } from '../work/known-accounts.js';
import { ACCOUNT_WORK, type AccountWork } from '../work/account-work.js';
import { doubled, REMOVED_ACCOUNTS } from '../work/backoff.js';
import { Runtime, type CancelTimer } from '../work/runtime.js';
import { SafeLogger } from '../work/safe-logger.js';

/**
 * Removes accounts: they take no new requests at once, and are forgotten when nothing of them is open any more. One timer serves all of
 * them, and there is none while no account is being removed.
 */
@Injectable()
export class AccountRemovals implements OnModuleDestroy {
  private readonly logger = new SafeLogger();
  /** Since when they are removed, in `Runtime.elapsed()`. */
  private readonly leaving = new Map<string, number>();
  /** Accounts that the host has removed here, and the source not yet. */
  private readonly removedHere = new Set<string>();
  private timer: { at: number; cancel: CancelTimer } | null = null;
  private isChecking = false;
  private isClosed = false;
  private checks = 0;

  constructor(
    private readonly store: AccountsStore,
    private readonly accounts: KnownAccounts,
    private readonly added: AddedAccounts,
    private readonly openings: AccountOpenings,
    @Inject(ACCOUNT_WORK) private readonly work: readonly AccountWork[],
    private readonly runtime: Runtime,
  ) {}

  /** The account takes no new requests from now on. */
  begin(account: string): void {
    const settings = { ...this.accounts.of(account), isRemoved: true };
    this.accounts.put(settings);
    this.follow(account);
    this.openings.open(settings).catch((error: unknown) => {
      this.logger.debug(`a removed account has not changed its plans: ${String(error)}`, {
        account,
      });
    });
  }

  /** The host removes an account: the source may say later that it has, and give other options until then. */
  remove(account: string): void {
    this.removedHere.add(account);
    this.begin(account);
    this.release(account);
  }

  /** The account was opened as one that is removed: the host says so, or its source. */
  leave(account: string): void {
    this.follow(account);
    this.release(account);
  }

  /** Another account can have its tills. An account that its source has lost keeps them: that may be a mistake. */
  private release(account: string): void {
    this.store.release(account, null).catch((error: unknown) => {
      this.logger.warn(
        `a removed account still has its tills: npx @tillkit/cli accounts release ${account}: ${String(error)}`,
        { account },
      );
    });
  }

  /** The host adds an account again. */
  keep(account: string): void {
    this.removedHere.delete(account);
  }

  /** Whether an account that is loaded again is removed. @param bySource what the source says */
  staysRemoved(account: string, bySource: boolean): boolean {
    if (bySource) this.removedHere.delete(account);
    return bySource || this.removedHere.has(account);
  }

  /** Forgets an account as soon as nothing of it is open, while it stays removed. */
  follow(account: string): void {
    this.leaving.set(account, this.runtime.elapsed());
    this.checks = 0;
    this.checkLater();
  }

  onModuleDestroy(): void {
    this.isClosed = true;
    this.timer?.cancel();
  }

  /** A check that is planned earlier stays planned. */
  private checkLater(): void {
    if (this.isClosed || this.isChecking || this.leaving.size === 0) return;
    const { firstMs, longestMs } = REMOVED_ACCOUNTS;
    this.checks += 1;
    const waitMs = doubled(firstMs, longestMs, this.checks);
    const at = this.runtime.elapsed() + waitMs;
    if (this.timer && this.timer.at <= at) return;
    this.timer?.cancel();
    const cancel = this.runtime.timer(waitMs, () => void this.check(), { background: true });
    this.timer = { at, cancel };
  }

  private async check(): Promise<void> {
    this.timer = null;
    this.isChecking = true;
    try {
      const over = [...this.leaving].filter(([account, since]) => this.isOver(account, since));
      const busy = new Set(await this.store.withOpenWork(over.map(([account]) => account)));
      for (const [account, since] of over)
        if (!busy.has(account) && this.isLeaving(account, since)) this.forget(account);
    } catch (error) {
      this.logger.debug(`whether removed accounts have open work is not known: ${String(error)}`);
    }
    this.isChecking = false;
    this.checkLater();
  }

  /** Not while the host adds it again: its listeners are registered by then. */
  private isLeaving(account: string, since: number): boolean {
    return this.leaving.get(account) === since && !this.openings.isOpening(account);
  }

  /** Whether nothing that began before the removal can record anything any more: no call, and no transaction of a host that lasts no longer. */
  private isOver(account: string, since: number): boolean {
    if (!this.accounts.has(account) || !this.accounts.of(account).isRemoved) return true;
    const { sendBeforeMs } = this.accounts.of(account).sending;
    return this.runtime.elapsed() - since >= Math.max(sendBeforeMs, this.added.keepRemovedMs);
  }

  private forget(account: string): void {
    this.leaving.delete(account);
    // The host has added it again.
    if (!this.accounts.has(account) || !this.accounts.of(account).isRemoved) return;
    this.removedHere.delete(account);
    const settings = this.accounts.of(account);
    this.accounts.forget(account);
    for (const work of this.work) {
      work.end?.(settings).catch((error: unknown) => {
        this.logger.debug(`work of a removed account is still planned: ${String(error)}`, {
          account,
        });
      });
    }
    this.logger.log('an account was removed, and nothing of it is open any more', { account });
  }
}
