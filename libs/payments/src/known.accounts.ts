import { Injectable } from '@nestjs/common';
import { PaymentsConfigurationError } from './payments.errors.js';
import type { PaymentsSettings } from './payments.settings.js';

/**
 * The accounts of one application: data, by name. One object of each service works for all of them; what it works on names its
 * account.
 */
@Injectable()
export class KnownAccounts {
  private readonly byName = new Map<string, PaymentsSettings>();
  private readonly suspended = new Set<string>();

  /** @throws PaymentsConfigurationError when another account has the same name or path */
  add(settings: PaymentsSettings): void {
    const { account, path } = settings;
    if (this.byName.has(account)) {
      throw new PaymentsConfigurationError([
        `account "${account}" is imported twice: give one of them a name, PaymentsModule.forRoot({ account: 'other', ... })`,
      ]);
    }
    const other = this.all().find((each) => comparable(each.path) === comparable(path));
    if (other) {
      throw new PaymentsConfigurationError([
        `accounts "${other.account}" and "${account}" both have the path "${path}": give one of them its own, ` +
          `PaymentsModule.forRoot({ account: '${account}', path: '${path}/${account}', ... })`,
      ]);
    }
    this.byName.set(account, settings);
  }

  /** @throws Error when this application does not have the account */
  of(account: string): PaymentsSettings {
    const settings = this.byName.get(account);
    if (!settings) throw new Error(`this application has no account "${account}"`);
    return settings;
  }

  all(): readonly PaymentsSettings[] {
    return [...this.byName.values()];
  }

  /** The accounts whose deliveries and listener calls this process works on. */
  inBackground(): readonly PaymentsSettings[] {
    return this.active().filter(({ background }) => background);
  }

  /** The accounts whose payments this process reads and sweeps. */
  reconciled(): readonly PaymentsSettings[] {
    return this.active().filter(({ reconciliation }) => reconciliation.enabled);
  }

  /** Suspends the background work of an account, or resumes it. Its deliveries are stored and wait. */
  suspend(account: string, isSuspended: boolean): void {
    if (isSuspended) this.suspended.add(account);
    else this.suspended.delete(account);
  }

  private active(): readonly PaymentsSettings[] {
    return this.all().filter(({ account }) => !this.suspended.has(account));
  }
}

function comparable(path: string): string {
  return path.replace(/^\/+|\/+$/g, '').toLowerCase();
}

/** The names of accounts, for a claim. */
export function namesOf(accounts: readonly PaymentsSettings[]): string[] {
  return accounts.map(({ account }) => account);
}
