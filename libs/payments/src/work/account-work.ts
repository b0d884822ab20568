import type { PaymentsSettings } from './payments.settings.js';

/** What a part does when accounts come and go while the application runs. The module gathers those that do something. */
export interface AccountWork {
  /** Before the first work of accounts, and before they have other settings. @param fresh those that this process did not have */
  begin(accounts: readonly PaymentsSettings[], fresh: readonly PaymentsSettings[]): Promise<void>;
  /** An account is forgotten: nothing of it is open. */
  end?(account: PaymentsSettings): Promise<void>;
}

export const ACCOUNT_WORK = Symbol('ACCOUNT_WORK');
