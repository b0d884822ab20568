import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { KnownAccounts, type AccountLoading, type Reloaded } from '../known.accounts.js';
import { AccountUnavailableError } from '../payments.account-errors.js';
import { ACCOUNT_SOURCE } from '../runtime/backoff.js';
import { errorText } from '../runtime/error-text.js';
import { LastingProblem } from '../runtime/lasting-problem.js';
import { PerSecond } from '../runtime/per-second.js';
import { Runtime } from '../runtime/runtime.js';
import type { LoadedAccountOptions } from './added-account.options.js';
import { AccountRemovals } from './account.removals.js';
import { AccountOpenings } from './account.openings.js';
import { AddedAccounts } from './added.accounts.js';
import { StoredNames } from './stored.names.js';

/** An account that the source has given. */
interface FromSource {
  /** Hash of its options, to notice a change. */
  hash: string;
  /** When it was asked for, in `Runtime.elapsed()`. */
  askedAt: number;
}

/** Loads accounts from the source of the host: on first use, when they are old, and when their secrets seem to have changed. */
@Injectable()
export class AccountLoader implements AccountLoading, OnModuleInit {
  private readonly loaded = new Map<string, FromSource>();
  private readonly loading = new Map<string, Promise<Reloaded>>();
  /** Names that the source does not have, and when it was asked for them. */
  private readonly strangers = new Map<string, number>();
  private readonly problem = new LastingProblem();
  /** When accounts last could not be loaded. */
  private readonly failedAt = new Map<string, number>();
  /** Anybody can post to any name, with any signature: this must not ask the host's database as often. */
  private readonly unknownNames: PerSecond;
  private readonly reloads: PerSecond;

  constructor(
    private readonly added: AddedAccounts,
    private readonly openings: AccountOpenings,
    private readonly removals: AccountRemovals,
    private readonly accounts: KnownAccounts,
    private readonly stored: StoredNames,
    private readonly runtime: Runtime,
  ) {
    this.unknownNames = new PerSecond(ACCOUNT_SOURCE.loadsPerSecond, runtime);
    this.reloads = new PerSecond(ACCOUNT_SOURCE.loadsPerSecond, runtime);
    accounts.forgotten$.subscribe((account) => this.loaded.delete(account));
  }

  onModuleInit(): void {
    if (this.added.source) this.accounts.loadWith(this);
  }

  /**
   * Loads an account that has work here, or to which somebody posts. False when the source has no such account.
   * @throws AccountUnavailableError when the source cannot be asked now
   */
  async load(account: string): Promise<boolean> {
    if (this.isKnown(account)) return true;
    const isStrange = this.askedWithin(account, this.strangers, ACCOUNT_SOURCE.strangeForMs);
    if (isStrange || !this.unknownNames.take()) {
      // Another process may have opened it since, and strangers must not keep an account in use from being loaded.
      const isInUse = await this.stored.has(account);
      if (!isInUse && isStrange) return false;
      if (!isInUse || this.wasAskedJustNow(account))
        throw new AccountUnavailableError(account, 'too many accounts are loaded now');
    }
    return (await this.ask(account)) !== 'none';
  }

  loadForWork(account: string): void {
    if (this.wasAskedJustNow(account)) return;
    // Only accounts that had work once come here, so strangers cannot use up what these loads may cost.
    this.find(account).then(
      (exists) => !exists && this.leaveOut(account),
      // The next look finds it again.
      () => undefined,
    );
  }

  /** It may be an account of another application on this database, or one that does not exist any more. */
  private leaveOut(account: string): void {
    this.accounts.setStrange(account, true);
    const again = (): void => this.accounts.setStrange(account, false);
    this.runtime.timer(ACCOUNT_SOURCE.strangeForMs, again, { background: true });
  }

  /**
   * Loads an account for a caller of the host. False when the source has no such account.
   * @throws AccountUnavailableError when the source cannot be asked now
   */
  async find(account: string): Promise<boolean> {
    return this.isKnown(account) || (await this.ask(account)) !== 'none';
  }

  /** Loads an account again, because its secrets seem to have changed. */
  async reload(account: string): Promise<Reloaded> {
    const before = this.loaded.get(account);
    if (!before) return 'same';
    const askedAt = Math.max(before.askedAt, this.failedAt.get(account) ?? 0);
    if (this.runtime.elapsed() - askedAt < ACCOUNT_SOURCE.leastReloadMs || !this.reloads.take())
      return 'unsure';
    return this.ask(account).catch(() => 'unsure' as const);
  }

  /** Loads an account again now, whatever its age. */
  async refresh(account: string): Promise<Reloaded> {
    // A load that runs may have asked before the secrets changed.
    await this.loading.get(account)?.catch(() => undefined);
    return this.ask(account);
  }

  /** Also loads it again in the background when it is old. */
  private isKnown(account: string): boolean {
    if (!this.accounts.has(account)) return false;
    const loaded = this.loaded.get(account);
    if (loaded && this.runtime.elapsed() - loaded.askedAt > this.added.refreshMs)
      this.ask(account).catch(() => undefined);
    return true;
  }

  /** Whether the source failed for an account just before, or did not have it. */
  private wasAskedJustNow(account: string): boolean {
    return [this.failedAt, this.strangers].some((times) =>
      this.askedWithin(account, times, ACCOUNT_SOURCE.leastReloadMs),
    );
  }

  private askedWithin(account: string, times: ReadonlyMap<string, number>, ms: number): boolean {
    const at = times.get(account);
    return at !== undefined && this.runtime.elapsed() - at < ms;
  }

  private ask(account: string): Promise<Reloaded> {
    const running = this.loading.get(account);
    if (running) return running;
    const load = this.loadNow(account)
      .then((result) => {
        this.failedAt.delete(account);
        this.problem.end('the accounts of the PaymentsAccountsSource can be loaded again');
        return result;
      })
      .catch((error: unknown) => {
        if (this.failedAt.size >= ACCOUNT_SOURCE.mostStrangers) this.failedAt.clear();
        this.failedAt.set(account, this.runtime.elapsed());
        throw this.failed(account, error);
      })
      .finally(() => this.loading.delete(account));
    this.loading.set(account, load);
    return load;
  }

  private async loadNow(account: string): Promise<Reloaded> {
    const { source } = this.added;
    // An account that is declared at the start is none of the source.
    if (!source || (this.accounts.has(account) && !this.accounts.isAdded(account)))
      return this.accounts.has(account) ? 'same' : 'none';
    const askedAt = this.runtime.elapsed();
    const options = await this.runtime.inTime(
      // A source that throws at once is one that rejects.
      Promise.resolve().then(() => source.load(account)),
      ACCOUNT_SOURCE.timeoutMs,
      () => new Error(`the source did not answer in ${ACCOUNT_SOURCE.timeoutMs / 1_000} s`),
    );
    if (!options || (options.account ?? account) !== account) return this.strange(account);
    const hash = hashOf(options);
    const before = this.loaded.get(account);
    if (before?.hash === hash && this.accounts.has(account)) {
      before.askedAt = askedAt;
      return 'same';
    }
    await this.openings.open(this.added.settingsOf(account, options));
    this.loaded.set(account, { hash, askedAt });
    this.strangers.delete(account);
    if (options.removed) this.removals.follow(account);
    return 'changed';
  }

  /** The source does not have an account, or not any more. */
  private strange(account: string): Reloaded {
    const loaded = this.loaded.get(account);
    if (loaded && this.accounts.has(account)) {
      // If the source has it again, that is a change.
      loaded.hash = '';
      // What is open needs its secrets: they are kept until nothing is.
      this.removals.begin(account);
      return 'same';
    }
    const { mostStrangers, strangeForMs } = ACCOUNT_SOURCE;
    for (const name of this.strangers.keys())
      if (
        this.strangers.size > mostStrangers ||
        !this.askedWithin(name, this.strangers, strangeForMs)
      )
        this.strangers.delete(name);
    this.strangers.set(account, this.runtime.elapsed());
    return 'none';
  }

  private failed(account: string, error: unknown): AccountUnavailableError {
    const why = errorText(error);
    const goesOn = this.accounts.has(account) ? ' It goes on with what was loaded before.' : '';
    this.problem.begin(`account ${account} could not be loaded: ${why}.${goesOn}`);
    return new AccountUnavailableError(account, why, error instanceof Error ? error : undefined);
  }
}

function hashOf(options: LoadedAccountOptions): string {
  return createHash('sha256').update(JSON.stringify(options)).digest('hex');
}
