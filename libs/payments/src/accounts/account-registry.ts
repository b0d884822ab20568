import { Injectable } from '@nestjs/common';
import { Subject } from 'rxjs';
import { AccountNotFoundError } from '../account.errors.js';
import { DEFAULTS } from '../payments-defaults.js';
import { PaymentsConfigurationError } from '../payments.errors.js';
import { ATTRIBUTE } from '../runtime/telemetry/metrics-list.js';
import type { AccountScope } from '../store/claim.js';
import { anEntry, type AccountEntry, type Reloaded } from './account-entry.js';
import type { CurrentSettings, PaymentsSettings } from './payments.settings.js';

/** Names of accounts that are not open, of which something is known. */
export const MOST_NAMES = 10_000;

/** Loads accounts from the source of the host. */
export interface AccountLoading {
  /** Reads the options of an account, and opens nothing. */
  look(account: string): Promise<boolean>;
  /** Returns the settings that `look` has read of an account that is not open. */
  seenSettings(account: string): PaymentsSettings | undefined;
  /** True when `look` has found that there is no such account. */
  isMissing(account: string): boolean;
  /** Opens an account, and resolves with true when it is open. */
  load(account: string): Promise<boolean>;
  /** Loads an account because it has work in the store. */
  loadForWork(account: string): void;
  reload(account: string): Promise<Reloaded>;
  /** Loads an account again when it is old. A request must wait for the returned promise; null when there is nothing to wait for. */
  refreshOld(account: string): Promise<unknown> | null;
}

/** The work that this process does for accounts that are added later. */
interface WorkOfMore {
  background: boolean;
  reconciled: boolean;
}

/** The accounts by what this process does for them. They are asked for with each piece of work, and change rarely. */
interface Lists {
  all: readonly PaymentsSettings[];
  inBackground: readonly PaymentsSettings[];
  reconciled: readonly PaymentsSettings[];
  inBackgroundNames: readonly string[];
  reconciledNames: readonly string[];
  lookedFor: { background: AccountScope; reconciled: AccountScope };
  listenerLeaseMs: number;
}

/**
 * The accounts that this process knows: data, by name. One object of each service works for all of them; what it works on names its
 * account. With a source, the process also looks for work of accounts that it does not know yet, and loads them.
 */
@Injectable()
export class AccountRegistry {
  /** The accounts that are closed, so that nobody keeps anything of them. */
  readonly closed$ = new Subject<string>();
  /** The next look for due work may find more: accounts were opened, or one that hid the work of others is left out of it. */
  readonly backgroundChanges$ = new Subject<'opened' | 'left out'>();
  private readonly entries = new Map<string, AccountEntry>();
  /** The declared account of each path. */
  private readonly byPath = new Map<string, string>();
  private open = 0;
  private lists: Lists | null = null;
  /** The work of accounts that are added later; null: none is. */
  private more: WorkOfMore | null = null;
  private loading: AccountLoading | null = null;

  /**
   * Adds an account that is declared at the start.
   * @throws PaymentsConfigurationError when another account has the same name or path
   */
  add(settings: PaymentsSettings): void {
    const { account, path } = settings;
    if (this.has(account)) {
      throw new PaymentsConfigurationError([
        `account "${account}" is imported twice: give one of them a name, PaymentsModule.forRoot({ account: 'other', ... })`,
      ]);
    }
    const problem = this.pathProblem(settings);
    if (problem) throw problem;
    this.set(settings);
    this.byPath.set(comparable(path), account);
  }

  /** Returns the error when a declared account has the path of an account already; null when none has it. */
  pathProblem({ account, path }: PaymentsSettings): PaymentsConfigurationError | null {
    const other = this.byPath.get(comparable(path));
    if (other === undefined) return null;
    return new PaymentsConfigurationError([
      `accounts "${other}" and "${account}" both have the path "${path}": give one of them its own, ` +
        `PaymentsModule.forRoot({ account: '${other}', path: '${path}/${other}', ... })`,
    ]);
  }

  /** Adds an account while the application runs, or replaces its settings. */
  put(settings: PaymentsSettings): void {
    const entry = this.entry(settings.account);
    if (!entry.settings) {
      entry.isAdded = true;
      entry.leftOut = null;
    }
    this.set(settings);
  }

  private set(settings: PaymentsSettings): void {
    const entry = this.entry(settings.account);
    if (!entry.settings) this.open += 1;
    entry.settings = Object.freeze(settings);
    this.lists = null;
  }

  /** Closes an account: it has no open work any more. */
  close(account: string): void {
    if (!this.has(account)) return;
    this.entries.delete(account);
    this.open -= 1;
    this.lists = null;
    this.closed$.next(account);
  }

  /** Returns the entry of a name; undefined when nothing is known of it. */
  find(account: string): AccountEntry | undefined {
    return this.entries.get(account);
  }

  /** Returns the entry of a name so that the caller can change it. */
  entry(account: string): AccountEntry {
    const found = this.entries.get(account);
    if (found) return found;
    if (this.entries.size - this.open >= MOST_NAMES) this.dropNames();
    const entry = anEntry(account);
    this.entries.set(account, entry);
    return entry;
  }

  /**
   * Drops names of accounts that are not open. Anybody can post to any name, and what we know of it only saves work. Names that had work once go
   * last.
   */
  private dropNames(): void {
    const idle = [...this.entries.values()].filter(
      ({ settings, loading, looking }) => !settings && !loading && !looking,
    );
    const posted = idle.filter(({ leftOut }) => !leftOut);
    for (const { account } of posted.length > 0 ? posted : idle) this.entries.delete(account);
    this.lists = null;
  }

  known(): Iterable<AccountEntry> {
    return this.entries.values();
  }

  has(account: string): boolean {
    return this.entries.get(account)?.settings != null;
  }

  /** True when an account was added after the start. */
  isAdded(account: string): boolean {
    return this.entries.get(account)?.isAdded === true;
  }

  /** @throws AccountNotFoundError when this process does not know the account */
  settings(account: string): PaymentsSettings {
    const settings = this.entries.get(account)?.settings;
    if (!settings) throw new AccountNotFoundError(account);
    return settings;
  }

  /** Returns settings that follow changes of the account. After the account has left this process, they say that it is removed. */
  following(account: string): CurrentSettings {
    let last = this.settings(account);
    const removed = (): PaymentsSettings =>
      last.isRemoved ? last : Object.freeze({ ...last, isRemoved: true });
    const current = (): PaymentsSettings =>
      (last = this.entries.get(account)?.settings ?? removed());
    return {
      get current() {
        return current();
      },
    };
  }

  all(): readonly PaymentsSettings[] {
    return this.listed().all;
  }

  /** Returns the accounts whose deliveries and listener calls this process works on. */
  inBackground(): readonly PaymentsSettings[] {
    return this.listed().inBackground;
  }

  /** Returns their names, for claims: the same list until it changes. */
  inBackgroundNames(): readonly string[] {
    return this.listed().inBackgroundNames;
  }

  /** True when this process works on deliveries and listener calls of an account now. */
  isInBackground(account: string): boolean {
    const { settings, isSuspended } = this.entries.get(account) ?? {};
    return !isSuspended && settings?.background === true;
  }

  /** Returns the accounts whose payments this process reads and sweeps. */
  reconciled(): readonly PaymentsSettings[] {
    return this.listed().reconciled;
  }

  /** Returns their names, for claims: the same list until it changes. */
  reconciledNames(): readonly string[] {
    return this.listed().reconciledNames;
  }

  /**
   * Returns the accounts whose due work this process looks for: with a source, also those that it does not know. It claims work of known accounts
   * only, so that it takes none of another application on the same database.
   */
  lookedFor(): { background: AccountScope; reconciled: AccountScope } {
    return this.listed().lookedFor;
  }

  /** The longest lease of listener calls that an account sets: the process has one for all. */
  get listenerLeaseMs(): number {
    return this.listed().listenerLeaseMs;
  }

  /** Accounts may be added while the application runs. */
  expectMore(work: WorkOfMore): void {
    this.more = work;
    this.lists = null;
  }

  /** True when accounts may be added later. */
  get expectsMore(): boolean {
    return this.more !== null;
  }

  /** True when this process works for accounts that are added later. */
  get worksForMore(): boolean {
    return this.more?.background === true;
  }

  /** True when this process works on deliveries and listener calls of accounts, also of those that are added later. */
  get worksInBackground(): boolean {
    return this.worksForMore || this.inBackground().length > 0;
  }

  /** True when this process reads and sweeps payments of accounts, also of those that are added later. */
  get reconciles(): boolean {
    return this.more?.reconciled === true || this.reconciled().length > 0;
  }

  /** Sets how accounts are loaded that are not known yet. From now on this process looks for their work as well. */
  loadWith(loading: AccountLoading): void {
    this.loading = loading;
    this.lists = null;
  }

  /**
   * Makes `toVerify` know an account, and loads it again if it is old. It opens none: whoever posts has proved nothing yet. False when there is
   * no such account.
   * @throws AccountUnavailableError when it cannot be loaded now
   */
  async look(account: string): Promise<boolean> {
    return this.loading ? this.loading.look(account) : this.has(account);
  }

  /** Returns the settings by which a delivery is verified, also of an account that is not open; undefined when it is not known. */
  toVerify(account: string): PaymentsSettings | undefined {
    return this.entries.get(account)?.settings ?? this.loading?.seenSettings(account);
  }

  /** True when there certainly is no such account. An account that left this process just now may exist. */
  isMissing(account: string): boolean {
    return !this.has(account) && (this.loading ? this.loading.isMissing(account) : true);
  }

  /**
   * Opens an account of which something was verified, if it is not open. False when there is no such account.
   * @throws AccountUnavailableError when it cannot be opened now
   */
  async load(account: string): Promise<boolean> {
    return this.has(account) || (this.loading ? this.loading.load(account) : false);
  }

  /** Loads an account again, because its secrets seem to have changed. */
  async reload(account: string): Promise<Reloaded> {
    return this.loading ? this.loading.reload(account) : 'same';
  }

  /**
   * Loads an account again when it is old: services that a host keeps must learn that it was removed, or has another till. A request must wait for
   * the returned promise; null when there is nothing to wait for.
   */
  refreshOld(account: string): Promise<unknown> | null {
    return this.loading?.refreshOld(account) ?? null;
  }

  /** Loads those of some accounts that are not known, because a look has found work of them. Their opening makes the next look. */
  loadForWork(accounts: readonly string[]): void {
    for (const account of accounts) if (!this.has(account)) this.loading?.loadForWork(account);
  }

  /** Looks for no work of an account that cannot be loaded. @param until in `Runtime.elapsed()` */
  leaveOut(account: string, until: number): void {
    const entry = this.entry(account);
    entry.leftOut = { times: (entry.leftOut?.times ?? 0) + 1, until, isOver: false };
    this.lists = null;
    this.backgroundChanges$.next('left out');
  }

  /** Looks again for the work of accounts whose time is over. Returns the time of the next account, in `Runtime.elapsed()`; null: there is none. */
  lookAgain(now: number): number | null {
    const waiting = [...this.entries.values()].flatMap(({ leftOut }) =>
      leftOut && !leftOut.isOver ? [leftOut] : [],
    );
    for (const leftOut of waiting) leftOut.isOver = leftOut.until <= now;
    this.lists = null;
    const next = Math.min(...waiting.filter(({ isOver }) => !isOver).map(({ until }) => until));
    return Number.isFinite(next) ? next : null;
  }

  /** Suspends the background work of an account, or resumes it. Its deliveries are stored and wait. */
  suspend(account: string, isSuspended: boolean): void {
    const entry = this.entry(account);
    if (entry.isSuspended === isSuspended) return;
    entry.isSuspended = isSuspended;
    this.lists = null;
  }

  private listed(): Lists {
    return (this.lists ??= this.list());
  }

  private list(): Lists {
    const open = [...this.entries.values()].filter(isOpen);
    const all = open.map(({ settings }) => settings);
    const active = open.filter(({ isSuspended }) => !isSuspended).map(({ settings }) => settings);
    const inBackground = active.filter(({ background }) => background);
    const reconciled = active.filter(({ reconciliation }) => reconciliation.enabled);
    const inBackgroundNames = namesOf(inBackground);
    const reconciledNames = namesOf(reconciled);
    const lookedFor = (own: readonly string[], withMore = false): AccountScope =>
      this.loading && withMore ? { allBut: this.notLookedFor(all, own) } : own;
    return {
      all,
      inBackground,
      reconciled,
      inBackgroundNames,
      reconciledNames,
      lookedFor: {
        background: lookedFor(inBackgroundNames, this.more?.background),
        reconciled: lookedFor(reconciledNames, this.more?.reconciled),
      },
      listenerLeaseMs:
        inBackground.length > 0
          ? Math.max(...inBackground.map(({ listeners }) => listeners.leaseMs))
          : DEFAULTS.listeners.leaseMs,
    };
  }

  private notLookedFor(all: readonly PaymentsSettings[], own: readonly string[]): string[] {
    const isOwn = new Set(own);
    const leftOut = [...this.entries.values()].filter((each) => each.leftOut?.isOver === false);
    return [
      ...namesOf(all).filter((account) => !isOwn.has(account)),
      ...leftOut.map(({ account }) => account),
    ];
  }
}

function isOpen(entry: AccountEntry): entry is AccountEntry & { settings: PaymentsSettings } {
  return entry.settings !== null;
}

function comparable(path: string): string {
  return path.replace(/^\/+|\/+$/g, '').toLowerCase();
}

/** Returns the names of accounts, for a claim. */
export function namesOf(accounts: readonly PaymentsSettings[]): string[] {
  return accounts.map(({ account }) => account);
}

const NONE = {};

/** Returns the account as an attribute of a metric, if the account wants that: each account then has its own time series. */
export function accountAttributes(
  accounts: Pick<AccountRegistry, 'has' | 'settings'>,
  account: string,
): Readonly<Record<string, string>> {
  // Work may end after its account was closed.
  const isWanted = accounts.has(account) && accounts.settings(account).telemetry.accountInMetrics;
  return isWanted ? { [ATTRIBUTE.account]: account } : NONE;
}

/** A part implements this when it must act as accounts come and go while the application runs. The module gathers all of them. */
export interface AccountWork {
  /** It runs before the first work of accounts, and before they have other settings. @param fresh those that this process did not have */
  begin(accounts: readonly PaymentsSettings[], fresh: readonly PaymentsSettings[]): Promise<void>;
  /** It runs when an account is closed, because nothing of it is open. */
  end?(account: PaymentsSettings): Promise<void>;
}

export const ACCOUNT_WORK = Symbol('ACCOUNT_WORK');
