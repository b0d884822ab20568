import type { AccountScope } from './claim.js';

/** The accounts whose work a process does. */
export interface WorkAccounts {
  /** Accounts whose deliveries and listener calls it works on. */
  background: AccountScope;
  /** Accounts whose operations it reads. */
  reconciled: AccountScope;
}

/** Says what can be claimed now, and when to look again. */
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

/** Work that an account needs again and again: a sweep for transactions, a run of retention. */
export type PlannedKind = 'sweep' | 'retention';

/** Says when work of an account is due. */
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

/** Says how far sweeps have read. */
export interface SweepProgress {
  /** Sweeps emit events only for transactions that originated at this time or later. */
  sweepFrom: Date;
  /** Sweeps have read all transactions before this time. */
  watermark: Date;
  /** The time when a recovery sweep last read the last two days again; null: never. */
  recoveredAt: Date | null;
  /** Says which tills the sweeps have read: `company`, or `till` and its number. Null: none yet. */
  scope: string | null;
}

/** The progress that a sweep has made. */
export type SweptProgress = Omit<SweepProgress, 'sweepFrom'>;

/** Store of the progress of sweeps. Every method may throw `StoreUnavailableError`. */
export abstract class SweepsStore {
  /** Returns the progress. The first call ever sets `sweepFrom` and the watermark to `start`. */
  abstract progress(account: string, start: Date): Promise<SweepProgress>;
  /** Claims the right to sweep, for one process at a time. */
  abstract claim(account: string, owner: string, leaseMs: number): Promise<boolean>;
  /** Stores the progress. False, without any change, when the lease was lost. */
  abstract save(account: string, owner: string, progress: SweptProgress): Promise<boolean>;
}
