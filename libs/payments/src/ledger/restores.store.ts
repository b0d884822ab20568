/** The time that a restore of the store to an earlier state has lost, by the store's clock. */
export interface LostTime {
  from: Date;
  /** Fifteen minutes after the restore: until then money of lost requests may still come. */
  to: Date;
}

/** What a restore has changed. @publicApi */
export interface RestoreResult {
  /** Accounts that send nothing until the lost time was swept. */
  accounts: number;
  /** Operations that may have been sent in the lost time, and are `unknown` now. */
  operations: number;
}

/** Why sending is paused, and what an operation's history says. */
export function restoredTo(at: Date): string {
  return `the database was restored to ${at.toISOString()}`;
}

/**
 * What a store that was restored to an earlier state must do before anything is sent: it has forgotten requests that were sent. Every method may
 * throw `StoreUnavailableError`.
 * @see docs/promises.md#after-a-restore
 */
export abstract class RestoresStore {
  /**
   * Notes that the store has lost everything since `at`. Operations that are `created` become `unknown`, sweeps read again from then on, and sending is
   * paused for every account until its sweeps have read the lost time; for an account with payouts until a person resumes it.
   */
  abstract begin(at: Date, by: string): Promise<RestoreResult>;
  /** The time that an account has lost, while its money may be that of a request that is asked for again; null when there is none. */
  abstract find(account: string): Promise<LostTime | null>;
}
