/** How far sweeps have read. */
export interface SweepProgress {
  /** Sweeps emit events only for transactions that originated at this time or later. */
  sweepFrom: Date;
  /** Sweeps have read all transactions before this time. */
  watermark: Date;
  /** When a recovery sweep last read the last two days again; null: never. */
  recoveredAt: Date | null;
  /** Which tills the sweeps have read: `company`, or `till` and its number. Null: none yet. */
  scope: string | null;
}

/** What a sweep has read. */
export type SweptProgress = Omit<SweepProgress, 'sweepFrom'>;

/** Store of the progress of sweeps. Every method may throw `StoreUnavailableError`. */
export abstract class SweepsStore {
  /** The progress. The first call ever sets `sweepFrom` and the watermark to `start`. */
  abstract progress(account: string, start: Date): Promise<SweepProgress>;
  /** Claims the right to sweep, for one process at a time. */
  abstract claim(account: string, owner: string, leaseMs: number): Promise<boolean>;
  /** Stores the progress. False, without any change, when the lease was lost. */
  abstract save(account: string, owner: string, progress: SweptProgress): Promise<boolean>;
}
