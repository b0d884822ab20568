import { Inject, Injectable } from '@nestjs/common';
import { StoreUnavailableError } from '../payments.errors.js';
import { AccountsStore } from '../store/accounts.store.js';
import { ACCOUNT_WORK, type AccountWork, AccountRegistry } from './account-registry.js';
import { AccountReservationsService } from './account-reservations.service.js';
import type { PaymentsSettings } from './payments.settings.js';

interface Opening {
  settings: PaymentsSettings;
  done: () => void;
  failed: (error: unknown) => void;
}

/**
 * Opens accounts while the application runs: reserves their tills and keys, registers their listeners, plans their work. Accounts that come
 * together are opened together.
 */
@Injectable()
export class AccountOpenings {
  private waiting: Opening[] = [];
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly accounts: AccountRegistry,
    private readonly reservations: AccountReservationsService,
    @Inject(ACCOUNT_WORK) private readonly work: readonly AccountWork[],
  ) {}

  /**
   * Opens an account, or changes the settings of one that is open. When it fails, nothing has changed but what it has reserved.
   * @throws PaymentsConfigurationError when another account has a till or an API key of this one
   * @throws StoreUnavailableError when the store does not answer
   */
  open(settings: PaymentsSettings): Promise<void> {
    return new Promise((done, failed) => {
      const opening = { settings, done, failed };
      this.waiting.push(opening);
      if (this.waiting.length === 1) this.last = this.openNext(this.last);
    });
  }

  /** True while an account is being opened or waits to be opened. */
  isOpening(account: string): boolean {
    return this.waiting.some(({ settings }) => settings.account === account);
  }

  /** Opens accounts one after the other: what a later change reserves must not come before what an earlier one does. */
  private async openNext(last: Promise<void>): Promise<void> {
    await Promise.all([last, new Promise(setImmediate)]);
    const openings = firstOfEach(this.waiting);
    await this.openAll(openings);
    this.waiting = this.waiting.filter((opening) => !openings.includes(opening));
    if (this.waiting.length > 0) await this.openNext(Promise.resolve());
  }

  /** The caller gives at most one opening for each account. */
  private async openAll(openings: readonly Opening[]): Promise<void> {
    try {
      const problems = new Map<string, unknown>();
      for (const { settings } of openings) {
        const problem = this.accounts.pathProblem(settings);
        if (problem) problems.set(settings.account, problem);
      }
      const withoutProblem = (): Opening[] =>
        openings.filter(({ settings }) => !problems.has(settings.account));
      const refused = await this.reservations.reserveFor(settingsOf(withoutProblem()));
      for (const [account, problem] of refused) problems.set(account, problem);
      await this.prepare(settingsOf(withoutProblem()));
      for (const { settings } of withoutProblem()) this.accounts.put(settings);
      this.accounts.backgroundChanges$.next('opened');
      for (const { settings, done, failed } of openings) {
        const problem = problems.get(settings.account);
        if (problem === undefined) done();
        else failed(problem);
      }
    } catch (error) {
      // We keep what was reserved, because another process may have opened the account with it.
      for (const { failed } of openings) failed(error);
    }
  }

  /** Prepares the store for the first work of an account. Work that is planned already stays planned. */
  private async prepare(all: readonly PaymentsSettings[]): Promise<void> {
    const fresh = all.filter(({ account }) => !this.accounts.has(account));
    const changed = all.filter((settings) => this.needsOtherWork(settings));
    if (changed.length === 0) return;
    // The parts begin one after the other: listeners are registered before anything can emit an event.
    for (const work of this.work) await work.begin(changed, fresh);
  }

  private needsOtherWork(settings: PaymentsSettings): boolean {
    if (!this.accounts.has(settings.account)) return true;
    const { reconciliation, retention, background, isRemoved } = this.accounts.settings(
      settings.account,
    );
    return (
      isRemoved !== settings.isRemoved ||
      background !== settings.background ||
      reconciliation.enabled !== settings.reconciliation.enabled ||
      reconciliation.sweepEveryMs !== settings.reconciliation.sweepEveryMs ||
      retention.everyMs !== settings.retention.everyMs
    );
  }
}

/** Takes only the first opening of each account. A later one of the same account waits for it. */
function firstOfEach(openings: readonly Opening[]): Opening[] {
  const first = new Map<string, Opening>();
  for (const opening of openings) {
    const { account } = opening.settings;
    if (!first.has(account)) first.set(account, opening);
  }
  return [...first.values()];
}

function settingsOf(openings: readonly Opening[]): PaymentsSettings[] {
  return openings.map(({ settings }) => settings);
}

/** Names of one statement, and which of them the store has. */
interface Batch {
  names: Set<string>;
  found: Promise<ReadonlySet<string>>;
}

/** No page of the store is longer. */
const MOST_AT_ONCE = 200;

/**
 * Finds out which accounts were ever in use. Anybody can post to any name, so one statement runs at a time: names that are asked for
 * meanwhile share the next one.
 */
@Injectable()
export class StoredNames {
  private gathering: Batch | null = null;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly store: AccountsStore) {}

  /**
   * True when an account was ever in use.
   * @throws StoreUnavailableError when the store does not answer, or when too many names are asked for
   */
  async has(account: string): Promise<boolean> {
    const batch = (this.gathering ??= this.gather());
    if (batch.names.size >= MOST_AT_ONCE && !batch.names.has(account))
      throw new StoreUnavailableError('it is asked for too many accounts');
    batch.names.add(account);
    return (await batch.found).has(account);
  }

  private gather(): Batch {
    const names = new Set<string>();
    const found = this.last.then(async () => {
      this.gathering = null;
      const { items } = await this.store.list({ among: [...names] }, { limit: MOST_AT_ONCE });
      return new Set(items);
    });
    this.last = found.catch(() => undefined);
    return { names, found };
  }
}
