import { Injectable } from '@nestjs/common';
import { AccountHandles, type PaymentsAccount } from './payments-account.js';
import { AccountsStore, type AccountFilter } from './store/accounts.store.js';
import type { AddedAccountOptions } from './accounts/account.options.js';
import { AccountLoader } from './accounts/account-loader.js';
import { AccountRemovals } from './accounts/account-removals.js';
import { AccountRegistry } from './accounts/account-registry.js';
import { AccountNotFoundError, AccountUnavailableError } from './account.errors.js';
import { PaymentsConfigurationError } from './payments.errors.js';
import { PauseDecision, TillRelease } from './accounts/account-decisions.dto.js';
import { Concealed, validateInput } from './runtime/validate-input.js';
import { UNASKED_MS } from './platform/http/write-permission.js';
import { SafeLogger } from './runtime/logging.js';
import { ShutdownSignal } from './runtime/shutdown-signal.js';
import { PausesStore, type Pause, type PauseEntry } from './store/pauses.store.js';
import type { Page, PageRequest } from './store/transactions.store.js';
import { formsOfTill } from './money/till-number.js';

/** One account of `PaymentsAccounts.list()`. @publicApi */
export interface ListedAccount {
  readonly name: string;
  /** True when the account was removed; null when this process has not loaded it. */
  readonly isRemoved: boolean | null;
}

/**
 * The accounts of this application, while it runs: those of `PaymentsModule.forRoot()`, and those that come later. Import
 * `PaymentsModule.forAccounts()` to add accounts.
 * @example
 * const { payments } = await accounts.get('shop-17');
 * @see docs/guide.md#many-merchants
 * @publicApi
 */
@Injectable()
@Concealed()
export class PaymentsAccounts {
  private readonly logger = new SafeLogger();

  constructor(
    private readonly loader: AccountLoader,
    private readonly removals: AccountRemovals,
    private readonly accounts: AccountRegistry,
    private readonly handles: AccountHandles,
    private readonly pauseStore: PausesStore,
    private readonly store: AccountsStore,
    private readonly shutdown: ShutdownSignal,
  ) {}

  /**
   * Adds an account to this process, or changes the options of one that was added: new secrets need no restart. Each process adds its
   * accounts itself, and again after a restart; with a `PaymentsAccountsSource` none of this is needed.
   * @example
   * const account = await accounts.add('shop-17', { clientId, clientSecret, apiKeys: [key], tillNumber: '514459' });
   * await account.get(WebhookSubscriptionsService).create({ eventType: 'buygoods_transaction_received', ... });
   * @throws PaymentsConfigurationError naming each wrong option, or the account that has a till or an API key already; nothing has changed
   * @throws StoreUnavailableError when the store does not answer; nothing has changed
   * @throws AccountRemovedError when it was removed meanwhile
   */
  async add(account: string, options: AddedAccountOptions): Promise<PaymentsAccount> {
    await this.loader.add(account, options);
    return this.handles.handle(account);
  }

  /**
   * Finds an account; the source loads it if this process does not know it yet.
   * @throws AccountNotFoundError when there is no such account
   * @throws AccountUnavailableError when the source cannot load it now
   */
  async get(account: string): Promise<PaymentsAccount> {
    if (!(await this.loader.find(account))) throw new AccountNotFoundError(account);
    return this.handles.handle(account);
  }

  /**
   * Removes an account that was added: it takes no new requests at once, in this process. Its deliveries, reads and events go on until
   * nothing of it is open; then it is closed. With a source, have it return `removed: true`, so that every process knows.
   * @throws AccountNotFoundError when this process does not know the account
   * @throws PaymentsConfigurationError when the account was declared at the start
   */
  remove(account: string): void {
    if (!this.accounts.has(account)) throw new AccountNotFoundError(account);
    if (this.isDeclared(account)) {
      throw new PaymentsConfigurationError([
        `account "${account}" is declared at the start: remove its PaymentsModule.forRoot() and restart`,
      ]);
    }
    this.removals.remove(account);
  }

  /**
   * Loads an account from the source again now, for a host that knows that its secrets have changed.
   * @throws AccountNotFoundError when there is no such account
   * @throws AccountUnavailableError when the source cannot load it now; it goes on with what was loaded before
   */
  async refresh(account: string): Promise<void> {
    if ((await this.loader.refresh(account)) === 'none') throw new AccountNotFoundError(account);
  }

  /**
   * Lists every account that was ever in use, by name, also those that this process has not loaded. It loads none.
   * @example
   * const { items, next } = await accounts.list({ beginsWith: 'nairobi-' }, { limit: 50 });
   * @throws StoreUnavailableError when the store does not answer
   */
  async list(
    filter: AccountFilter = {},
    page: PageRequest = { limit: 50 },
  ): Promise<Page<ListedAccount>> {
    const { items, next } = await this.store.list(filter, page);
    return { items: items.map((name) => ({ name, isRemoved: this.isRemoved(name) })), next };
  }

  /** The path of the routes of added accounts, before their names; null without `PaymentsModule.forAccounts()`. */
  get path(): string | null {
    return this.loader.path;
  }

  /** Returns the accounts that this process knows now: those declared at the start, those added, and those loaded so far. */
  names(): readonly string[] {
    return this.accounts.all().map(({ account }) => account);
  }

  /**
   * Releases tills of an account, so that another account can have them. A till belongs to the first account that reserves it, also while no process
   * runs for it, until the account is removed or somebody releases it. Money that the till gets afterwards is not that account's any more: change
   * its settings first, else it reserves the till again at its next start.
   * @example
   * await accounts.release({ account: 'shop-17', till: '514459', by: 'jane@shop.example', note: 'sold to shop-18' });
   * @returns the numbers that it had, also those by which aliases know the till
   * @throws PaymentsValidationError when `account`, `by` or `note` is empty
   * @throws StoreUnavailableError when the store does not answer. Ask again
   */
  async release(release: TillRelease): Promise<readonly string[]> {
    const { account, till, by, note } = validateInput(TillRelease, release);
    const tills = till === undefined ? null : formsOfTill(till);
    const released = await this.store.release(account, tills);
    this.logger.log(
      `${by} released ${released.length === 0 ? 'no till' : `till ${released.join(', ')}`} (${note})`,
      { account },
    );
    return released;
  }

  /**
   * Pauses sending for one account or for all, in every process. Resolves after a second: from then on nothing is sent that moves money.
   * `request()` and `record()` then throw `SendingPausedError`; payments that are recorded and not sent yet fail as `not_sent` when their time is over.
   * Deliveries, reads, sweeps and events go on. Who and why stays in the history.
   * @example
   * await accounts.pause({ account: 'shop-17', by: 'jane@shop.example', note: 'the till was moved' });
   * @returns false when it is paused already
   * @throws PaymentsValidationError when `by` or `note` is empty
   * @throws AccountNotFoundError when there is no such account
   * @throws StoreUnavailableError when the store does not answer: it may be paused. Pause it again
   * @see docs/guide.md#pause-sending
   */
  async pause(decision: PauseDecision): Promise<boolean> {
    const isNew = await this.decide(decision, (account, { by, note }) =>
      this.pauseStore.pause(account, by, note),
    );
    // An operation that became `requested` before the pause may still be written to a socket for this long.
    await this.shutdown.pause(UNASKED_MS);
    return isNew;
  }

  /**
   * Ends a pause. A pause of all accounts and that of one account end on their own.
   * @example
   * await accounts.resume({ account: 'shop-17', by: 'jane@shop.example', note: 'the new till works' });
   * @returns false when there is no such pause
   * @throws PaymentsValidationError when `by` or `note` is empty
   * @throws AccountNotFoundError when there is no such account
   */
  async resume(decision: PauseDecision): Promise<boolean> {
    return this.decide(decision, (account, { by, note }) =>
      this.pauseStore.resume(account, by, note),
    );
  }

  /** Returns all pauses now: that of all accounts (`account: null`) first. */
  pauses(): Promise<Pause[]> {
    return this.pauseStore.all();
  }

  /** Lists who paused and resumed an account, or all accounts, and why: newest first. @param limit maximum number. @default 100 */
  pauseHistory(account: string, limit = 100): Promise<PauseEntry[]> {
    return this.pauseStore.history(account, limit);
  }

  private async decide(
    decision: PauseDecision,
    apply: (account: string | null, decision: PauseDecision) => Promise<boolean>,
  ): Promise<boolean> {
    const checked = validateInput(PauseDecision, decision);
    const { account = null } = checked;
    if (account !== null) await this.mustExist(account);
    return apply(account, checked);
  }

  /** Whoever pauses is in a hurry: a vault that is away must not prevent it, and the account may be that of other processes. */
  private async mustExist(account: string): Promise<void> {
    if (this.accounts.has(account)) return;
    const { items } = await this.store.list({ among: [account] }, { limit: 1 });
    if (items.length === 0) await this.get(account).catch(unlessUnavailable);
  }

  private isRemoved(account: string): boolean | null {
    return this.accounts.has(account) ? this.accounts.settings(account).isRemoved : null;
  }

  private isDeclared(account: string): boolean {
    return this.accounts.has(account) && !this.accounts.isAdded(account);
  }
}

function unlessUnavailable(error: unknown): void {
  if (!(error instanceof AccountUnavailableError)) throw error;
}
