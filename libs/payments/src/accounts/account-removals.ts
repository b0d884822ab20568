import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { AccountsStore } from '../store/accounts.store.js';
import { AddedAccounts } from './added-accounts.js';
import { AccountOpenings } from './account-openings.js';
import { ACCOUNT_WORK, type AccountWork, AccountRegistry } from './account-registry.js';
import { type CancelTimer, MINUTE, Runtime, SECOND } from '../runtime/clock.js';
import { doubled } from '../runtime/retry.js';
import { SafeLogger } from '../runtime/logging.js';

/** The wait before the first look whether something of a removed account is open. It doubles: a review may be open for weeks. */
const LOOKS = { firstMs: SECOND, longestMs: 5 * MINUTE } as const;

/** An account that is removed, and since when, in `Runtime.elapsed()`. */
interface Leaving {
  account: string;
  since: number;
}

/**
 * Removes accounts: they take no new requests at once, and are closed when nothing of them is open any more. One timer serves all of
 * them, and there is none while no account is being removed.
 */
@Injectable()
export class AccountRemovals implements OnModuleDestroy {
  private readonly logger = new SafeLogger();
  private timer: { at: number; cancel: CancelTimer } | null = null;
  private isChecking = false;
  private isClosed = false;
  private checks = 0;

  constructor(
    private readonly store: AccountsStore,
    private readonly accounts: AccountRegistry,
    private readonly added: AddedAccounts,
    private readonly openings: AccountOpenings,
    @Inject(ACCOUNT_WORK) private readonly work: readonly AccountWork[],
    private readonly runtime: Runtime,
  ) {}

  /** The account takes no new requests from now on. */
  begin(account: string): void {
    const settings = { ...this.accounts.settings(account), isRemoved: true };
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
    this.accounts.entry(account).isRemovedHere = true;
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
    this.accounts.entry(account).isRemovedHere = false;
  }

  /** True when an account that is loaded again stays removed. @param bySource what the source says */
  staysRemoved(account: string, bySource: boolean): boolean {
    const entry = this.accounts.find(account);
    if (entry && bySource) entry.isRemovedHere = false;
    return bySource || entry?.isRemovedHere === true;
  }

  /** Closes an account as soon as nothing of it is open, while it stays removed. */
  follow(account: string): void {
    this.accounts.entry(account).leavingSince = this.runtime.elapsed();
    this.checks = 0;
    this.checkLater();
  }

  onModuleDestroy(): void {
    this.isClosed = true;
    this.timer?.cancel();
  }

  /** A check that is planned earlier stays planned. */
  private checkLater(): void {
    if (this.isClosed || this.isChecking) return;
    const { firstMs, longestMs } = LOOKS;
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
      const over = this.leaving().filter((each) => this.isOver(each));
      const busy = new Set(await this.store.withOpenWork(over.map(({ account }) => account)));
      for (const { account, since } of over)
        if (!busy.has(account) && this.isLeaving(account, since)) this.close(account);
    } catch (error) {
      this.logger.debug(`whether removed accounts have open work is not known: ${String(error)}`);
    }
    this.isChecking = false;
    if (this.leaving().length > 0) this.checkLater();
  }

  /** True while an account is being removed, unless the host adds it again: its listeners are registered by then. */
  private isLeaving(account: string, since: number): boolean {
    const { leavingSince } = this.accounts.entry(account);
    return leavingSince === since && !this.openings.isOpening(account);
  }

  private leaving(): Leaving[] {
    return [...this.accounts.known()].flatMap(({ account, leavingSince: since }) =>
      since === null ? [] : [{ account, since }],
    );
  }

  /**
   * True when nothing that began before the removal can record anything any more: every call has ended, and every transaction of a host, unless it
   * lasts longer than `keepRemovedMs`.
   */
  private isOver({ account, since }: Leaving): boolean {
    if (!this.accounts.has(account) || !this.accounts.settings(account).isRemoved) return true;
    const { sendBeforeMs } = this.accounts.settings(account).sending;
    return this.runtime.elapsed() - since >= Math.max(sendBeforeMs, this.added.keepRemovedMs);
  }

  private close(account: string): void {
    const { settings } = this.accounts.entry(account);
    this.accounts.entry(account).leavingSince = null;
    // The host has added it again.
    if (!settings?.isRemoved) return;
    this.accounts.close(account);
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
