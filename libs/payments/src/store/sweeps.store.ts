/**
 * What a sweep found listed and could not read in full. It may be money, so it contradicts only by what was read. It holds nothing about a person:
 * the record of its reference does.
 */
export interface UnreadMoney {
  /** The window in which it was listed, in epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  /** The fields that could not be read. */
  readonly fields: readonly string[];
  /** Reference, or `id:` and id; null when it has neither. */
  readonly reference: string | null;
  /** A digest of what was listed, by which one without a reference is recognised; null for several together. */
  readonly item: string | null;
  /** Ids of the operations of its payer that it may belong to; null when its payer or its amount was not read: then of anybody. */
  readonly of: readonly string[] | null;
  readonly till: string | null;
  readonly currency: string | null;
  readonly amountMinor: string | null;
  /** In epoch milliseconds. */
  readonly originatedAt: number | null;
}

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
  /** What they have found and could not read. */
  unread: readonly UnreadMoney[];
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
