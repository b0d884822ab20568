import type { AccountScope } from '../work/account-scope.js';
import type { PlannedKind } from './planned-work.store.js';

/** The accounts whose work a process does. */
export interface WorkAccounts {
  /** Accounts whose deliveries and listener calls it works on. */
  background: AccountScope;
  /** Accounts whose operations it reads. */
  reconciled: AccountScope;
}

/** What can be claimed now, and when to look again. */
export interface DueWork {
  callbacks: boolean;
  webhooks: boolean;
  /** Operations that are not settled. */
  open: boolean;
  /** Operations that failed or are in review. */
  followed: boolean;
  /** Accounts that have some of this work. When much is due, not all of them. */
  accounts: readonly string[];
  /** The kinds of planned work of which some is due. */
  planned: readonly PlannedKind[];
  /** The listeners with due calls, also those that this process does not have. */
  calls: readonly { account: string; listener: string }[];
  /** Milliseconds until more work becomes due or a claim ends; null: not within the time that was asked for. */
  nextMs: number | null;
}

/** Says whether there is due work, for all kinds in one call. It claims nothing. */
export abstract class DueWorkStore {
  /**
   * It must cost little, however much work waits: where many pieces are due it may say that there is one to claim although all are
   * claimed, and then it may not know which claim ends first. It must not miss a piece that can be claimed.
   * @throws StoreUnavailableError
   */
  abstract look(accounts: WorkAccounts, withinMs: number): Promise<DueWork>;
}
