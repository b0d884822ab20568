import { AsyncResource } from 'node:async_hooks';
import type { Observable, Subscription } from 'rxjs';
import { type Runtime, SECOND } from '../runtime/clock.js';
import { doubled } from '../runtime/retry.js';
import { Counts } from '../runtime/per-account.js';
import type { DueWork } from '../store/due-work.store.js';
import { errorText, SafeLogger } from '../runtime/logging.js';
import type { DueWorkFinder } from './due-work-finder.js';

export const WORK_LOOP = {
  /** The waits after a claim that failed. */
  firstPauseMs: SECOND,
  longestPauseMs: 5 * SECOND,
  /** While work runs, the loop collects wake-ups for this long: one claim of many items costs the store as much as of one. */
  gatherMs: 5,
  /** A stop waits so many milliseconds for running work. Another process claims longer work again when its lease ends. */
  drainMs: 10 * SECOND,
} as const;

/**
 * With many accounts, a process does at the same time at most so many times the work of one account. When work of fewer accounts hangs,
 * there is room for the others.
 */
const ACCOUNTS_AT_ONCE = 4;

/**
 * The share of its concurrency that each account may use however much the others do. Without it, four accounts whose work hangs would stop
 * the work of all others.
 */
const OWN_SHARE = 0.1;

/** Name of the async resources, as diagnostic tools show it. */
const CONTEXT = 'TillkitWork';

/** Says how work is claimed and done. */
export interface WorkSource<T> {
  runtime: Runtime;
  /** Name of the work, for the log. */
  name: string;
  /** Returns the accounts whose work this process does: the same object until they change. */
  accounts: () => readonly string[];
  /** This process does at most so many pieces of work of one account at the same time. */
  concurrency: number | ((account: string) => number);
  /** The work of so many accounts fits in at the same time. @default 4 */
  accountsAtOnce?: number;
  /** True keeps a tenth of its concurrency for each account, beyond that. @default false */
  keepsShares?: boolean;
  /** So many more pieces may be claimed now, because of their size. @default any number */
  mostNow?(): number;
  /** Wakes the loop when work is due for which there is no wake-up. */
  finder: Pick<DueWorkFinder, 'watch' | 'expect'>;
  /** True when a piece that was done may be due again, or may have made other work due for which there is no wake-up. @default true */
  leavesWork?: boolean;
  /** True when a look has found work for the loop. */
  isDue(work: DueWork): boolean;
  /** Emits when there may be new work. */
  wakeUps: Observable<unknown>;
  /** True when a claimed piece may begin now. @default as soon as its account has room */
  mayBegin?(item: T): boolean;
  /** Claims at most `limit` pieces of these accounts. */
  claim(accounts: readonly string[], limit: number): Promise<readonly T[]>;
  /** Does one piece and stores its outcome. The loop only logs an error that it throws. */
  work(item: T): Promise<void>;
}

/** A claim may take so much now. */
interface Room {
  /** The accounts that have room for more work. */
  accounts: readonly string[];
  /** A claim may take so many pieces, whatever accounts they are of. */
  limit: number;
  /** The limit while no work runs. */
  most: number;
  /** True when there is room for the shares of accounts only. */
  isShort: boolean;
}

/** So much work of some accounts fits in while none runs. */
interface Capacity {
  accounts: readonly string[];
  /** The concurrency of the account that has the least, and of the one that has the most. */
  least: number;
  most: number;
}

/**
 * Claims work of all accounts and does it, until it is stopped. A slow piece blocks no other piece, and many slow pieces of one
 * account block no other account. When the store fails, the loop waits longer after each failure.
 */
export class WorkLoop<T extends { account: string }> {
  private readonly logger = new SafeLogger();
  private readonly running = new Set<Promise<void>>();
  /** Work that is claimed and waits for room. */
  private taken: T[] = [];
  /** The number of pieces of each account that run. */
  private readonly busy = new Counts();
  private stopping = new AbortController();
  /** True when a stop has ended, so that nobody would wait for more work. */
  private isStopped = false;
  private loop: Promise<void> | null = null;
  private subscription: Subscription | null = null;
  private unwatch: (() => void) | null = null;
  private awake = false;
  /** True when the last claim was full, so that there may be more work. */
  private more = false;
  /** True when the last claim left out accounts that have used their shares. */
  private isShort = false;
  private wakeUp: (() => void) | null = null;
  private failures = 0;
  private capacity: Capacity | null = null;
  /**
   * The async context of this loop. A piece that a request or a listener hands over must not begin in theirs: a listener would join
   * the database transaction that the host keeps there, and lose what it did when that is rolled back.
   */
  private readonly context = new AsyncResource(CONTEXT);

  constructor(private readonly source: WorkSource<T>) {}

  start(): void {
    if (this.loop) return;
    this.stopping = new AbortController();
    this.isStopped = false;
    this.subscription = this.source.wakeUps.subscribe(() => this.wake());
    this.unwatch = this.source.finder.watch({
      isDue: (work) => this.source.isDue(work),
      claim: () => this.claimSoon(),
    });
    this.loop = this.run().finally(() => (this.loop = null));
  }

  /** Claims work soon. If the claim comes too early, a look finds the work. */
  wake(): void {
    this.claimSoon();
    this.source.finder.expect();
  }

  /** So many claimed pieces wait for room. */
  get waiting(): number {
    return this.taken.length;
  }

  /**
   * Does work that was claimed elsewhere: at once, or as soon as there is room for it. After a stop it does none: another process
   * claims it when its lease ends.
   */
  take(items: readonly T[]): void {
    if (this.isStopped) return;
    this.taken.push(...items);
    this.beginTaken();
  }

  /**
   * Stops claiming. Resolves when the claimed work has ended, after `graceMs` milliseconds at the latest: not even a store that hangs
   * delays it longer. Work that is claimed until then is still done, because otherwise it would wait for its lease.
   */
  async stop(graceMs = WORK_LOOP.drainMs): Promise<void> {
    this.subscription?.unsubscribe();
    this.unwatch?.();
    this.stopping.abort();
    this.claimSoon();
    await this.source.runtime.endsWithin(this.drained(), graceMs);
    this.isStopped = true;
    this.taken = [];
  }

  private claimSoon(): void {
    this.awake = true;
    this.wakeUp?.();
  }

  private async drained(): Promise<void> {
    await this.loop;
    while (this.running.size > 0) await Promise.allSettled(this.running);
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const { accounts, limit, isShort } = this.room();
      if (limit > 0) {
        this.awake = false;
        this.isShort = isShort;
        const claimed = await this.claim(accounts, limit);
        this.more = claimed.length === limit;
        this.take(claimed);
      }
      await this.rest();
    }
  }

  private room(): Room {
    const accounts = this.source.accounts();
    const { least, most } = this.capacityOf(accounts);
    const total = most * Math.min(this.source.accountsAtOnce ?? ACCOUNTS_AT_ONCE, accounts.length);
    const now = this.source.mostNow?.() ?? Infinity;
    // All that is claimed may be of the account that has the least room.
    const left = Math.min(total - this.running.size, least, now);
    const room = this.roomOf(accounts, left, (account) => this.concurrencyOf(account));
    if (room.limit > 0 || !this.source.keepsShares) return { ...room, most, isShort: false };
    const share = (concurrency: number): number => Math.ceil(concurrency * OWN_SHARE);
    const shares = this.roomOf(accounts, Math.min(share(least), now), (account) =>
      share(this.concurrencyOf(account)),
    );
    return { ...shares, most, isShort: true };
  }

  /** @param limit of what may be claimed, if each account has room for it */
  private roomOf(
    accounts: readonly string[],
    limit: number,
    mostOf: (account: string) => number,
  ): Pick<Room, 'accounts' | 'limit'> {
    const full = new Set<string>();
    let most = limit;
    for (const account of this.busy.names()) {
      const left = mostOf(account) - this.busy.count(account);
      if (left <= 0) full.add(account);
      else most = Math.min(most, left);
    }
    const open = full.size > 0 ? accounts.filter((account) => !full.has(account)) : accounts;
    return { accounts: open, limit: open.length > 0 ? most : 0 };
  }

  /** The capacity is kept, because each piece of work needs it, and there may be a thousand accounts. */
  private capacityOf(accounts: readonly string[]): Capacity {
    if (this.capacity?.accounts !== accounts)
      this.capacity = { accounts, ...this.measured(accounts) };
    return this.capacity;
  }

  private measured(accounts: readonly string[]): Omit<Capacity, 'accounts'> {
    const { concurrency } = this.source;
    if (typeof concurrency === 'number') return { least: concurrency, most: concurrency };
    const each = accounts.map(concurrency);
    return { least: Math.min(...each), most: Math.max(0, ...each) };
  }

  private concurrencyOf(account: string): number {
    const { concurrency } = this.source;
    return typeof concurrency === 'number' ? concurrency : concurrency(account);
  }

  private async claim(accounts: readonly string[], limit: number): Promise<readonly T[]> {
    try {
      const claimed = await this.source.claim(accounts, limit);
      this.failures = 0;
      return claimed;
    } catch (error) {
      this.failures += 1;
      if (this.failures === 1) {
        this.logger.error(
          `the store could not claim ${this.source.name}; the next claim follows soon: ${errorText(error)}`,
        );
      }
      return [];
    }
  }

  private beginTaken(): void {
    const waiting = this.taken;
    this.taken = [];
    for (const item of waiting) {
      if (this.mayBegin(item)) this.inOwnContext(() => this.begin(item));
      else this.taken.push(item);
    }
  }

  private inOwnContext(begin: () => void): void {
    // A piece of work may call `enterWith`. Its own resource keeps that from the next piece.
    this.context.runInAsyncScope(() => new AsyncResource(CONTEXT).runInAsyncScope(begin));
  }

  private mayBegin(item: T): boolean {
    const hasRoom = this.busy.count(item.account) < this.concurrencyOf(item.account);
    return hasRoom && (this.source.mayBegin?.(item) ?? true);
  }

  private begin(item: T): void {
    const { account } = item;
    const work = this.source
      .work(item)
      .catch((error: unknown) =>
        this.logger.seldom('error', 'work', `${this.source.name}: ${errorText(error)}`, {
          account,
        }),
      )
      .finally(() => {
        // While the account had no room, nobody claimed its work.
        const wasFull = this.busy.count(account) >= this.concurrencyOf(account);
        this.running.delete(work);
        this.busy.remove(account);
        if (wasFull || this.isShort) this.awake = true;
        if (this.taken.length > 0) this.beginTaken();
        this.wakeUp?.();
        if (this.source.leavesWork ?? true) this.source.finder.expect();
      });
    this.running.add(work);
    this.busy.add(account);
  }

  /** Waits until the next claim is worth its cost. */
  private async rest(): Promise<void> {
    const began = this.source.runtime.elapsed();
    const backOffMs = this.failures > 0 ? this.backOffMs() : 0;
    while (!this.stopping.signal.aborted) {
      const restedMs = this.source.runtime.elapsed() - began;
      if (backOffMs > 0 && restedMs >= backOffMs) return;
      const wanted = backOffMs === 0 && this.room().limit > 0 && (this.more || this.awake);
      if (wanted && (restedMs >= WORK_LOOP.gatherMs || this.isWorthwhile())) return;
      const dueMs = backOffMs > 0 ? backOffMs : wanted ? WORK_LOOP.gatherMs : null;
      await this.pause(dueMs === null ? null : dueMs - restedMs);
    }
  }

  /** True when no work runs, or when there may be more work and a claim can take half of what it ever can. */
  private isWorthwhile(): boolean {
    const { limit, most } = this.room();
    return this.running.size === 0 || (this.more && limit * 2 >= most);
  }

  private backOffMs(): number {
    return doubled(WORK_LOOP.firstPauseMs, WORK_LOOP.longestPauseMs, this.failures);
  }

  /** Waits for `ms` milliseconds if they are given, or until a wake-up or finished work ends the wait. */
  private async pause(ms: number | null): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = ms === null ? undefined : this.source.runtime.timer(ms, resolve);
      this.wakeUp = () => {
        cancel?.();
        resolve();
      };
    });
    this.wakeUp = null;
  }
}
