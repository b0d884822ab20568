/**
 * The time that a restore of the store to an earlier state has lost. As ages, because the store's clock is not that of the platform, whose money
 * is looked for.
 */
export interface LostTime {
  fromAgoMs: number;
  /** Fifteen minutes after the restore, and negative until then: money of lost requests may still come. */
  toAgoMs: number;
}

/** What a restore has changed. @publicApi */
export interface RestoreResult {
  /** Accounts that send nothing until the lost time was swept. */
  accounts: number;
  /** Operations that may have been sent in the lost time, and are `unknown` now. */
  operations: number;
  /** `at` of the pauses. */
  begunAt: Date;
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
   * paused for every account until its sweeps have read the lost time. Payouts, refunds, and bare requests that move money are paused until a person
   * resumes them. What is lost begins earlier if the last sweep before `at` was earlier, and not older than a day: a later backup would know a later one.
   */
  abstract begin(at: Date, by: string): Promise<RestoreResult>;
  /** The times that an account has lost, while their money may be that of a request that is asked for again. */
  abstract find(account: string): Promise<LostTime[]>;
}
