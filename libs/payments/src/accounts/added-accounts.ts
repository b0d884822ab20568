import { Injectable } from '@nestjs/common';
import type { ReadVariable } from './environment-variables.js';
import { KnownAccounts } from '../work/known-accounts.js';
import { DEFAULT_PATH } from '../payments-defaults.js';
import { PaymentsConfigurationError } from '../payments.errors.js';
import type { PaymentsSettings } from '../work/payments.settings.js';
import { ACCOUNT_SOURCE, REMOVED_ACCOUNTS } from '../work/backoff.js';
import { SafeLogger } from '../work/safe-logger.js';
import { resolveAddedSettings } from './settings.reader.js';
import { riskText, startWarnings } from './start-risks.js';
import type { PaymentsAccountsSource } from './payments-accounts-source.js';
import type { AddedAccountOptions, PaymentsAccountsOptions } from './added-account.options.js';

/** What accounts that are added while the application runs have in common. */
@Injectable()
export class AddedAccounts {
  private shared: PaymentsAccountsOptions | null = null;
  private read: ReadVariable = () => undefined;
  /** What was said aloud: accounts have the same risks, and are read again and again. */
  private readonly warned = new Set<string>();
  /** Loads accounts that nobody has added; null: the host has none. */
  source: PaymentsAccountsSource | null = null;

  constructor(private readonly accounts: KnownAccounts) {}

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
    const problems = (['refreshMs', 'keepRemovedMs'] as const)
      .filter((name) => !isTime(shared[name] ?? 0))
      .map(
        (name) => `option "${name}" of forAccounts() must be a number of milliseconds, 0 or more`,
      );
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
    return this.shared?.refreshMs ?? ACCOUNT_SOURCE.refreshMs;
  }

  get keepRemovedMs(): number {
    return this.shared?.keepRemovedMs ?? REMOVED_ACCOUNTS.keepMs;
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
    const own = defined(options);
    // Its client secret must not go to the token host of another platform.
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

/** What is given as `undefined` must not hide what all accounts have in common. */
function defined(options: AddedAccountOptions): AddedAccountOptions {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as AddedAccountOptions;
}
