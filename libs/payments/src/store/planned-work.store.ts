/** Work that an account needs again and again: a sweep for transactions, a run of retention. */
export type PlannedKind = 'sweep' | 'retention';

/** When work of an account is due. */
export interface PlannedWork {
  account: string;
  kind: PlannedKind;
  inMs: number;
}

/**
 * Store of work that each account needs again and again. All processes share the plan, so that each piece is done once, also for an
 * account that no process has used since its start. Every method may throw `StoreUnavailableError`.
 */
export abstract class PlannedWorkStore {
  /** Plans work. What is planned earlier stays. */
  abstract plan(works: readonly PlannedWork[]): Promise<void>;

  /**
   * Claims due work, that which has been due longest first. It is due again after the lease, in case this process stops.
   * @returns the accounts whose work it is
   */
  abstract claim(
    accounts: readonly string[],
    kind: PlannedKind,
    limit: number,
    leaseMs: number,
  ): Promise<string[]>;

  /** Accounts do not need this work any more. */
  abstract cancel(accounts: readonly string[], kind: PlannedKind): Promise<void>;

  /** Plans the next time of work that was done. */
  abstract replan(account: string, kind: PlannedKind, inMs: number): Promise<void>;
}
