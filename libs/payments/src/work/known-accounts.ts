import { Injectable } from '@nestjs/common';
import { Subject } from 'rxjs';
import { DEFAULTS } from '../payments-defaults.js';
import { AccountNotFoundError } from '../payments-account-errors.js';
import { PaymentsConfigurationError } from '../payments.errors.js';
import type { CurrentSettings, PaymentsSettings } from './payments.settings.js';
import type { AccountScope } from './account-scope.js';

/** How loading an account again has ended. `unsure`: it could not be loaded now, or it was loaded just before. */
export type Reloaded = 'changed' | 'same' | 'none' | 'unsure';

/** Loads accounts from the source of the host. */
export interface AccountLoading {
  /** Reads the options of an account, and opens nothing. */
  look(account: string): Promise<boolean>;
  /** What `look` has read of an account that is not open. */
  seenSettings(account: string): PaymentsSettings | undefined;
  /** Whether `look` has found that there is no such account. */
  isMissing(account: string): boolean;
  /** Opens an account. */
  load(account: string): Promise<boolean>;
  /** Loads an account because it has work in the store. */
  loadForWork(account: string): void;
  reload(account: string): Promise<Reloaded>;
  /** Loads an account again when it is old. What a request must wait for; null: nothing. */
  refreshOld(account: string): Promise<unknown> | null;
}

/** Which work of accounts that are added later this process does. */
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
export class KnownAccounts {
  /** The accounts that are forgotten, so that nobody keeps anything of them. */
  readonly forgotten$ = new Subject<string>();
  private readonly byName = new Map<string, PaymentsSettings>();
  /** The declared account of each path. */
  private readonly byPath = new Map<string, string>();
  private readonly added = new Set<string>();
  private readonly suspended = new Set<string>();
  /** Accounts that the source does not have, although there is work of them in the store. */
  private readonly missing = new Set<string>();
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
    if (this.byName.has(account)) {
      throw new PaymentsConfigurationError([
        `account "${account}" is imported twice: give one of them a name, PaymentsModule.forRoot({ account: 'other', ... })`,
      ]);
    }
    const problem = this.pathProblem(settings);
    if (problem) throw problem;
    this.byName.set(account, Object.freeze(settings));
    this.byPath.set(comparable(path), account);
    this.lists = null;
  }

  /** The error when a declared account has the path of an account already; null when none has it. */
  pathProblem({ account, path }: PaymentsSettings): PaymentsConfigurationError | null {
    const other = this.byPath.get(comparable(path));
    if (other === undefined) return null;
    return new PaymentsConfigurationError([
      `accounts "${other}" and "${account}" both have the path "${path}": give one of them its own, ` +
        `PaymentsModule.forRoot({ account: '${other}', path: '${path}/${other}', ... })`,
    ]);
  }

  /**
   * Adds an account while the application runs, or replaces its settings. Settings never change: work that has begun ends with those that it began
   * with.
   */
  put(settings: PaymentsSettings): void {
    const { account } = settings;
    if (!this.byName.has(account)) {
      this.added.add(account);
      this.missing.delete(account);
    }
    this.byName.set(account, Object.freeze(settings));
    this.lists = null;
  }

  /** Forgets an account: it has no open work any more. */
  forget(account: string): void {
    if (!this.byName.delete(account)) return;
    this.suspended.delete(account);
    this.added.delete(account);
    this.lists = null;
    this.forgotten$.next(account);
  }

  has(account: string): boolean {
    return this.byName.has(account);
  }

  /** Whether an account came after the start. */
  isAdded(account: string): boolean {
    return this.added.has(account);
  }

  /** @throws AccountNotFoundError when this process does not know the account */
  of(account: string): PaymentsSettings {
    const settings = this.byName.get(account);
    if (!settings) throw new AccountNotFoundError(account);
    return settings;
  }

  /** What follows the settings of an account. When the account is forgotten, it is removed. */
  following(account: string): CurrentSettings {
    let last = this.of(account);
    const removed = (): PaymentsSettings =>
      last.isRemoved ? last : Object.freeze({ ...last, isRemoved: true });
    const current = (): PaymentsSettings => (last = this.byName.get(account) ?? removed());
    return {
      get current() {
        return current();
      },
    };
  }

  all(): readonly PaymentsSettings[] {
    return this.listed().all;
  }

  /** The accounts whose deliveries and listener calls this process works on. */
  inBackground(): readonly PaymentsSettings[] {
    return this.listed().inBackground;
  }

  /** Their names, for claims: the same list until it changes. */
  inBackgroundNames(): readonly string[] {
    return this.listed().inBackgroundNames;
  }

  /** Whether this process works on deliveries and listener calls of an account now. */
  isInBackground(account: string): boolean {
    return !this.suspended.has(account) && this.byName.get(account)?.background === true;
  }

  /** The accounts whose payments this process reads and sweeps. */
  reconciled(): readonly PaymentsSettings[] {
    return this.listed().reconciled;
  }

  /** Their names, for claims: the same list until it changes. */
  reconciledNames(): readonly string[] {
    return this.listed().reconciledNames;
  }

  /**
   * The accounts whose due work this process looks for: with a source, also those that it does not know. It claims work of known
   * accounts only, so that it takes none of another application on the same database.
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

  /** Whether this process works for accounts that are added later. */
  get worksForMore(): boolean {
    return this.more?.background === true;
  }

  /** Whether this process works on deliveries and listener calls of accounts, of those that come later as well. */
  get worksInBackground(): boolean {
    return this.worksForMore || this.inBackground().length > 0;
  }

  /** Whether this process reads and sweeps payments of accounts, of those that come later as well. */
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

  /** The settings by which a delivery is verified, also of an account that is not open; undefined when it is not known. */
  toVerify(account: string): PaymentsSettings | undefined {
    return this.byName.get(account) ?? this.loading?.seenSettings(account);
  }

  /** Whether there certainly is no such account. One that was forgotten just now may exist. */
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
   * Loads an account again when it is old: services that a host keeps must learn that it was removed, or has another till. What a request must
   * wait for; null: nothing.
   */
  refreshOld(account: string): Promise<unknown> | null {
    return this.loading?.refreshOld(account) ?? null;
  }

  /** Loads those of some accounts that are not known, because a look has found work of them. Their opening makes the next look. */
  loadForWork(accounts: readonly string[]): void {
    for (const account of accounts) if (!this.has(account)) this.loading?.loadForWork(account);
  }

  /** Looks for no work of an account that does not exist, or looks for it again. */
  setMissing(account: string, isMissing: boolean): void {
    if (isMissing) this.missing.add(account);
    else this.missing.delete(account);
    this.lists = null;
  }

  /** Suspends the background work of an account, or resumes it. Its deliveries are stored and wait. */
  suspend(account: string, isSuspended: boolean): void {
    if (isSuspended === this.suspended.has(account)) return;
    if (isSuspended) this.suspended.add(account);
    else this.suspended.delete(account);
    this.lists = null;
  }

  private listed(): Lists {
    return (this.lists ??= this.list());
  }

  private list(): Lists {
    const all = [...this.byName.values()];
    const active = all.filter(({ account }) => !this.suspended.has(account));
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
    return [...namesOf(all).filter((account) => !isOwn.has(account)), ...this.missing];
  }
}

function comparable(path: string): string {
  return path.replace(/^\/+|\/+$/g, '').toLowerCase();
}

/** The names of accounts, for a claim. */
export function namesOf(accounts: readonly PaymentsSettings[]): string[] {
  return accounts.map(({ account }) => account);
}
