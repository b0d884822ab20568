import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { NEVER, type GivenBySource, type Reloaded } from './account-entry.js';
import { AccountRegistry, type AccountLoading } from './account-registry.js';
import type { PaymentsSettings } from './payments.settings.js';
import { AccountRemovedError, AccountUnavailableError } from '../account.errors.js';
import { PaymentsConfigurationError } from '../payments.errors.js';
import { type CancelTimer, MINUTE, Runtime, SECOND } from '../runtime/clock.js';
import { doubled } from '../runtime/retry.js';
import { errorText, LastingProblem, SafeLogger } from '../runtime/logging.js';
import { PerSecond } from '../runtime/limits.js';
import type { AddedAccountOptions, LoadedAccountOptions } from './account.options.js';
import { AccountRemovals } from './account-removals.js';
import { AccountOpenings, StoredNames } from './account-openings.js';
import { AddedAccounts } from './added-accounts.js';

/** Accounts that the host's source loads. */
const SOURCE = {
  /** The source may take this long. A delivery for the account waits for it. */
  timeoutMs: 5 * SECOND,
  /** Between two loads of one account because of a wrong signature. A delivery in between is answered 503. */
  leastReloadMs: SECOND,
  /** Loads of all accounts for deliveries: of names that this process does not know, and because of signatures that are wrong. Each kind has its own. */
  loadsPerSecond: 100,
  /** A name that the source does not have is not asked for again for this long. */
  missingForMs: 30 * SECOND,
  /** Accounts that are kept, not open, until a delivery for them was verified. */
  mostSeen: 1_000,
  /**
   * No work is looked for of an account that could not be loaded, or that the source does not have: it would hide that of others. Both waits
   * double up to the longest one.
   */
  failedForMs: SECOND,
  longestLeftOutMs: 10 * MINUTE,
} as const;

/** An account in use is loaded again when it has this share of the age at which it is old. */
const REFRESH_SHARE = 0.8;

/** Adds accounts for the host, and loads them from its source: on first use, when they are old, and when their secrets seem to have changed. */
@Injectable()
export class AccountLoader implements AccountLoading, OnModuleInit {
  /** Accounts that are not open, as the source gave them for a delivery that is not verified yet. */
  private readonly seen = new Map<string, GivenBySource>();
  private readonly problem = new LastingProblem();
  private readonly logger = new SafeLogger();
  private leftOutTimer: { at: number; cancel: CancelTimer } | null = null;
  /** Anybody can post to any name, with any signature: this must not ask the host's database as often. */
  private readonly unknownNames: PerSecond;
  private readonly reloads: PerSecond;

  constructor(
    private readonly added: AddedAccounts,
    private readonly openings: AccountOpenings,
    private readonly removals: AccountRemovals,
    private readonly accounts: AccountRegistry,
    private readonly stored: StoredNames,
    private readonly runtime: Runtime,
  ) {
    this.unknownNames = new PerSecond(SOURCE.loadsPerSecond, runtime);
    this.reloads = new PerSecond(SOURCE.loadsPerSecond, runtime);
  }

  onModuleInit(): void {
    if (this.added.source) this.accounts.loadWith(this);
  }

  /**
   * Reads the options of an account to which somebody posts, so that the delivery can be verified. It opens and reserves nothing: anybody can
   * post to any name. False when the source has no such account.
   * @throws AccountUnavailableError when the source cannot be asked now
   */
  async look(account: string): Promise<boolean> {
    if (this.accounts.has(account)) {
      // The keys of the account may have been revoked since it was loaded.
      await this.refreshOld(account);
      return this.accounts.has(account);
    }
    if (this.seenWithin(account, SOURCE.leastReloadMs)) return true;
    const isMissing = this.isMissing(account);
    if (isMissing || !this.unknownNames.take()) {
      // Another process may have opened it since, and posts to any name must not keep an account in use from being loaded.
      const isInUse = await this.stored.has(account);
      if (!isInUse && isMissing) return false;
      if (!isInUse || this.wasAskedJustNow(account))
        throw new AccountUnavailableError(account, 'too many accounts are loaded now');
    }
    return this.readOnce(account);
  }

  /** Returns the settings by which a delivery for an account is verified that is not open; undefined when it was not looked for. */
  seenSettings(account: string): PaymentsSettings | undefined {
    return this.seenWithin(account, SOURCE.missingForMs)?.settings;
  }

  /** True when the source does not have the account. */
  isMissing(account: string): boolean {
    return this.isWithin(account, 'missingAt', SOURCE.missingForMs);
  }

  /**
   * Opens an account of which a delivery was verified. False when the source has no such account.
   * @throws AccountUnavailableError when it cannot be opened now
   */
  async load(account: string): Promise<boolean> {
    return this.accounts.has(account) || (await this.ask(account)) !== 'none';
  }

  loadForWork(account: string): void {
    if (this.accounts.find(account)?.loading) return;
    // Only accounts that had work once come here, so posts to any name cannot use up what these loads may cost.
    this.ask(account).then(
      (reloaded) => {
        // It may be an account of another application on this database, or one that does not exist any more.
        if (reloaded === 'none') this.leaveOut(account, SOURCE.missingForMs);
        else this.accounts.entry(account).leftOut = null;
      },
      () => this.leaveOut(account, SOURCE.failedForMs),
    );
  }

  /** Looks for the work of others: a look shows the accounts of the first rows only. */
  private leaveOut(account: string, firstMs: number): void {
    // The host may have added it meanwhile.
    if (this.accounts.has(account)) return;
    const times = (this.accounts.find(account)?.leftOut?.times ?? 0) + 1;
    const until = this.runtime.elapsed() + doubled(firstMs, SOURCE.longestLeftOutMs, times);
    this.accounts.leaveOut(account, until);
    this.lookAgainAt(until);
  }

  /** One timer serves all accounts. */
  private lookAgainAt(at: number): void {
    if (this.leftOutTimer && this.leftOutTimer.at <= at) return;
    this.leftOutTimer?.cancel();
    const again = (): void => {
      this.leftOutTimer = null;
      const next = this.accounts.lookAgain(this.runtime.elapsed());
      if (next !== null) this.lookAgainAt(next);
    };
    const cancel = this.runtime.timer(at - this.runtime.elapsed(), again, { background: true });
    this.leftOutTimer = { at, cancel };
  }

  /**
   * Loads an account for a caller of the host. False when the source has no such account.
   * @throws AccountUnavailableError when the source cannot be asked now
   */
  async find(account: string): Promise<boolean> {
    if (!this.accounts.has(account)) return (await this.ask(account)) !== 'none';
    await this.refreshOld(account);
    return this.accounts.has(account);
  }

  /** Loads an account again, because its secrets seem to have changed. */
  async reload(account: string): Promise<Reloaded> {
    const before = this.accounts.find(account)?.loaded;
    // The answer is the same for a name that the source does not have, so it says nothing of which accounts there are.
    if (!before && !this.accounts.has(account))
      return this.isRefusedAgain(account) ? 'unsure' : 'same';
    if (!before) return 'same';
    const askedAt = Math.max(before.askedAt, this.accounts.entry(account).failedAt);
    if (this.runtime.elapsed() - askedAt < SOURCE.leastReloadMs || !this.reloads.take())
      return 'unsure';
    return this.ask(account).catch(() => 'unsure' as const);
  }

  /** True when a delivery for an account that is not open was refused just before. Its secrets may have changed since. */
  private isRefusedAgain(account: string): boolean {
    if (this.isWithin(account, 'refusedAt', SOURCE.leastReloadMs)) return true;
    this.accounts.entry(account).refusedAt = this.runtime.elapsed();
    return false;
  }

  /** Loads an account again now, whatever its age. */
  async refresh(account: string): Promise<Reloaded> {
    // A load that runs may have asked before the secrets changed.
    await this.accounts.find(account)?.loading?.catch(() => undefined);
    return this.ask(account);
  }

  /**
   * Loads an account again when it is old. Who waits for this sends nothing with settings that changed long ago; an account in use is loaded before
   * it is old, so that nobody waits.
   */
  refreshOld(account: string): Promise<unknown> | null {
    const loaded = this.accounts.find(account)?.loaded;
    if (!loaded || this.isWithin(account, 'failedAt', SOURCE.leastReloadMs)) return null;
    const ageMs = this.runtime.elapsed() - loaded.askedAt;
    if (ageMs <= this.added.refreshMs * REFRESH_SHARE) return null;
    // While the source is away, what is known is used.
    const isAway = this.isWithin(account, 'failedAt', SOURCE.missingForMs);
    const asked = this.ask(account).catch(() => undefined);
    return ageMs > this.added.refreshMs && !isAway ? asked : null;
  }

  /** True when the source failed for an account just before, or did not have it. */
  private wasAskedJustNow(account: string): boolean {
    return (['failedAt', 'missingAt'] as const).some((what) =>
      this.isWithin(account, what, SOURCE.leastReloadMs),
    );
  }

  private seenWithin(account: string, ms: number): GivenBySource | null {
    const seen = this.seen.get(account);
    return seen && this.runtime.elapsed() - seen.askedAt < ms ? seen : null;
  }

  private isWithin(
    account: string,
    what: 'missingAt' | 'failedAt' | 'refusedAt',
    ms: number,
  ): boolean {
    const entry = this.accounts.find(account);
    return entry !== undefined && this.runtime.elapsed() - entry[what] < ms;
  }

  private ask(account: string): Promise<Reloaded> {
    const entry = this.accounts.entry(account);
    return (entry.loading ??= this.noted(account, this.loadNow(account)).finally(
      () => (entry.loading = null),
    ));
  }

  /** Asks the source for an account that is not open, once for all who wait. True when the source has it. */
  private readOnce(account: string): Promise<boolean> {
    const entry = this.accounts.entry(account);
    if (entry.loading) return entry.loading.then((reloaded) => reloaded !== 'none');
    return (entry.looking ??= this.noted(account, this.readNow(account)).finally(
      () => (entry.looking = null),
    ));
  }

  private async readNow(account: string): Promise<boolean> {
    const answer = await this.answerOf(account);
    if (typeof answer === 'string') return answer !== 'none';
    if (this.seen.size >= SOURCE.mostSeen) this.seen.clear();
    this.seen.set(account, answer);
    return true;
  }

  private async noted<T>(account: string, asked: Promise<T>): Promise<T> {
    try {
      const result = await asked;
      this.accounts.entry(account).failedAt = NEVER;
      this.problem.end('the accounts of the PaymentsAccountsSource can be loaded again');
      return result;
    } catch (error) {
      this.accounts.entry(account).failedAt = this.runtime.elapsed();
      throw this.failed(account, error);
    }
  }

  private async loadNow(account: string): Promise<Reloaded> {
    const seen = this.accounts.has(account) ? null : this.seenWithin(account, SOURCE.missingForMs);
    const answer = seen ?? (await this.answerOf(account));
    if (typeof answer === 'string') return answer;
    await this.openOne(answer);
    return 'changed';
  }

  /** Asks the source for an account, and returns what must be opened, or that nothing is new. */
  private async answerOf(account: string): Promise<GivenBySource | 'same' | 'none'> {
    const { source } = this.added;
    // An account that is declared at the start is none of the source.
    if (!source || (this.accounts.has(account) && !this.accounts.isAdded(account)))
      return this.accounts.has(account) ? 'same' : 'none';
    const askedAt = this.runtime.elapsed();
    const options = await this.runtime.inTime(
      // A source that throws at once is one that rejects.
      Promise.resolve().then(() => source.load(account)),
      SOURCE.timeoutMs,
      () => new Error(`the source did not answer in ${SOURCE.timeoutMs / 1_000} s`),
    );
    if (!options || !this.isNamed(account, options)) return this.notFound(account);
    const hash = hashOf(options);
    const before = this.accounts.find(account)?.loaded;
    if (before?.hash === hash && this.accounts.has(account)) {
      before.askedAt = askedAt;
      return 'same';
    }
    const removed = this.removals.staysRemoved(account, options.removed === true);
    const settings = this.added.settingsOf(account, { ...options, ...(removed && { removed }) });
    return { settings, hash, askedAt };
  }

  /** True when the source gave the account that it was asked for. A source may take another name for the same one. */
  private isNamed(account: string, options: LoadedAccountOptions): boolean {
    if ((options.account ?? account) === account) return true;
    this.logger.seldom(
      'error',
      'another account',
      `the PaymentsAccountsSource was asked for the account "${account}" and gave "${options.account}", which is another one: it must ` +
        'compare names exactly, also the case of letters, and return null for a name that it does not have',
      {},
    );
    return false;
  }

  private async openOne(given: GivenBySource): Promise<void> {
    const { account, isRemoved } = given.settings;
    const wasRemoved = this.isRemoved(account);
    await this.openings.open(given.settings);
    const entry = this.accounts.entry(account);
    Object.assign(entry, { loaded: given, missingAt: NEVER, failedAt: NEVER });
    this.seen.delete(account);
    if (isRemoved && !wasRemoved) this.removals.leave(account);
    // The host has removed it while its options were read.
    if (!isRemoved && this.removals.staysRemoved(account, false)) this.removals.begin(account);
  }

  /** Opens an account that the host adds, or changes its options. See `PaymentsAccounts.add()`. */
  async add(account: string, options: AddedAccountOptions): Promise<void> {
    const settings = this.added.settingsOf(account, options);
    if (this.accounts.has(account) && !this.accounts.isAdded(account)) {
      throw new PaymentsConfigurationError([
        `account "${account}" is declared at the start: change it in its PaymentsModule.forRoot(), or choose another name`,
      ]);
    }
    const wasRemoved = this.isRemoved(account);
    await this.openings.open(settings);
    // We do this only now, because an account that could not be added stays removed.
    this.removals.keep(account);
    this.noteChange(account);
    if (options.removed && !wasRemoved) this.removals.leave(account);
    if (!this.accounts.has(account)) throw new AccountRemovedError(account);
  }

  /** The path of the routes of added accounts, before their names; null when none are allowed. */
  get path(): string | null {
    return this.added.path;
  }

  /** The host has changed an account: what the source gives next is a change, even if it is what it gave before. */
  noteChange(account: string): void {
    const loaded = this.accounts.find(account)?.loaded;
    if (loaded) loaded.hash = '';
  }

  private isRemoved(account: string): boolean {
    return this.accounts.has(account) && this.accounts.settings(account).isRemoved;
  }

  /** The source does not have an account, or not any more. */
  private notFound(account: string): 'same' | 'none' {
    const loaded = this.accounts.find(account)?.loaded;
    // The host has added it: it is none of the source.
    if (!loaded && this.accounts.has(account)) return 'same';
    if (loaded && this.accounts.has(account)) {
      // If the source has it again, that is a change.
      loaded.hash = '';
      loaded.askedAt = this.runtime.elapsed();
      // While anything of the account is open it needs the secrets, so we keep them until nothing is.
      if (!this.isRemoved(account)) this.removals.begin(account);
      return 'same';
    }
    this.seen.delete(account);
    this.accounts.entry(account).missingAt = this.runtime.elapsed();
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
