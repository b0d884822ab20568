import { Injectable, type ModuleMetadata, type Type } from '@nestjs/common';
import { DEFAULT_PATH } from '../payments-defaults.js';
import { PaymentsConfigurationError } from '../payments.errors.js';
import { DAY, MINUTE } from '../runtime/clock.js';
import { SafeLogger } from '../runtime/logging.js';
import type { HostDatabase } from '../store/host-transaction.js';
import { AccountRegistry } from './account-registry.js';
import type {
  AddedAccountOptions,
  LoadedAccountOptions,
  PaymentsAccountsOptions,
} from './account.options.js';
import { pathProblems, type ReadVariable } from './environment-variables.js';
import { defined } from './given-settings.js';
import type { PaymentsSettings } from './payments.settings.js';
import { resolveAddedSettings } from './settings.reader.js';
import { riskText, startWarnings } from './start-risks.js';

/** If `refreshMs` is not set. */
const REFRESH_MS = 5 * MINUTE;

/** If `keepRemovedMs` is not set. */
const KEEP_REMOVED_MS = DAY;

/** Holds the options that all accounts which are added while the application runs have in common. */
@Injectable()
export class AddedAccounts {
  private shared: PaymentsAccountsOptions | null = null;
  private read: ReadVariable = () => undefined;
  /** The warnings that were logged. All accounts have the same risks and are read again and again, so each is logged once. */
  private readonly warned = new Set<string>();
  /** Loads accounts that nobody has added; null: the host has none. */
  source: PaymentsAccountsSource | null = null;

  constructor(private readonly accounts: AccountRegistry) {}

  /** Accounts may be added from now on. */
  allow(
    shared: PaymentsAccountsOptions,
    read: ReadVariable,
    source: PaymentsAccountsSource | null,
  ): void {
    if (this.shared) {
      throw new PaymentsConfigurationError([
        'PaymentsModule.forAccounts() is imported twice: import it once, in the root module',
      ]);
    }
    const times = (['refreshMs', 'keepRemovedMs'] as const)
      .filter((name) => !isTime(shared[name] ?? 0))
      .map(
        (name) => `option "${name}" of forAccounts() must be a number of milliseconds, 0 or more`,
      );
    const problems = [...times, ...pathProblems(shared.path ?? '')];
    if (problems.length > 0) throw new PaymentsConfigurationError(problems);
    this.shared = shared;
    this.read = read;
    this.source = source;
    const background = shared.background !== false;
    this.accounts.expectMore({
      background,
      reconciled: background && shared.reconciliation !== false,
    });
  }

  /** The path of their routes, before their names; null when none are allowed. */
  get path(): string | null {
    return this.shared && `${this.shared.path ?? DEFAULT_PATH}/accounts`;
  }

  get refreshMs(): number {
    return this.shared?.refreshMs ?? REFRESH_MS;
  }

  get keepRemovedMs(): number {
    return this.shared?.keepRemovedMs ?? KEEP_REMOVED_MS;
  }

  /** @throws PaymentsConfigurationError that names every wrong option, with its cure */
  settingsOf(account: string, options: AddedAccountOptions): PaymentsSettings {
    const { shared } = this;
    if (!shared) {
      throw new PaymentsConfigurationError(
        [
          `account "${account}" cannot be added, because the application has no route for it: import PaymentsModule.forAccounts() in the root module`,
        ],
        CANNOT_OPEN,
      );
    }
    const { path = DEFAULT_PATH, ...common } = shared;
    // An option that is given as `undefined` must not hide the common one.
    const own = defined(options);
    // The client secret of an account must not go to the token host of another platform.
    const tokenBaseUrl = own.baseUrl !== undefined && { tokenBaseUrl: own.baseUrl };
    try {
      const settings = resolveAddedSettings(
        { ...common, ...tokenBaseUrl, ...own, account },
        this.read,
        `${path}/accounts/${account}`,
      );
      this.warnOf(settings);
      return settings;
    } catch (error) {
      if (!(error instanceof PaymentsConfigurationError)) throw error;
      throw new PaymentsConfigurationError(error.problems, CANNOT_OPEN);
    }
  }

  private warnOf(settings: PaymentsSettings): void {
    for (const text of startWarnings(settings, this.read).map(riskText)) {
      if (this.warned.has(text)) continue;
      this.warned.add(text);
      new SafeLogger().warn(text);
    }
  }
}

const CANNOT_OPEN = 'cannot open the account';

function isTime(ms: unknown): boolean {
  return typeof ms === 'number' && ms >= 0;
}

/**
 * Loads accounts on their first use: from your database, with secrets from your vault. Provide it in any module; with it, an
 * account needs no `PaymentsAccounts.add()`. What it returns is kept in memory, and loaded again after `refreshMs`, when a delivery has a signature
 * that no known key explains, and when the platform refuses the client secret: new secrets need no restart.
 * @example
 * \@Injectable()
 * export class ShopAccounts extends PaymentsAccountsSource {
 *   constructor(private readonly shops: Shops, private readonly vault: Vault) { super(); }
 *
 *   async load(account: string): Promise<LoadedAccountOptions | null> {
 *     const shop = await this.shops.find(account);
 *     return shop && { account: shop.name, ...(await this.vault.secretsOf(account)), tillNumber: shop.till, tills: [shop.till] };
 *   }
 * }
 * // imports: [PaymentsModule.forAccounts()], providers: [{ provide: PaymentsAccountsSource, useClass: ShopAccounts }]
 * @see docs/guide.md#many-merchants
 * @publicApi
 */
export abstract class PaymentsAccountsSource {
  /**
   * Loads one account. It may be called for any name that somebody posts to: answer null for names that you do not know. If your database
   * compares without the case of letters, return the name that it has as `account`: another one than was asked for is no account.
   *
   * When you remove a merchant, return its options with `removed: true` until its open payments have ended: null means that nothing of it can be
   * read or verified any more.
   * @returns its options, or null when there is no such account
   * @throws whatever your database or vault throws: requests then fail, deliveries are answered 503, and an account that is known goes on
   *   with what was loaded before
   */
  abstract load(account: string): Promise<LoadedAccountOptions | null>;
}

/** `PaymentsModule.forAccounts()` takes these options. @publicApi */
export interface PaymentsAccountsModuleOptions extends PaymentsAccountsOptions {
  /** Loads accounts that nobody has added. @default none */
  source?: Type<PaymentsAccountsSource>;
  /** Modules whose providers the source injects. @default [] */
  imports?: ModuleMetadata['imports'];
  /** As in `forRoot()`: one for all accounts, whichever of them sets it. @default none */
  transactions?: HostDatabase;
}
