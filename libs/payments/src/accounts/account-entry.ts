import type { PaymentsSettings } from './payments.settings.js';

/** The result of loading an account again. `unsure`: it could not be loaded now, or it was loaded just before. */
export type Reloaded = 'changed' | 'same' | 'none' | 'unsure';

export interface GivenBySource {
  readonly settings: PaymentsSettings;
  /** Hash of its options, to notice a change. Empty: whatever the source gives next is a change. */
  hash: string;
  /** The time at which this process asked the source. */
  askedAt: number;
}

/** All that this process knows of one name: of an account, or of what somebody has posted to. Times are in `Runtime.elapsed()`. */
export interface AccountEntry {
  readonly account: string;
  /** The settings while the account is open in this process. Settings never change: work that has begun ends with those that it began with. */
  settings: PaymentsSettings | null;
  /** True when it was added after the start. */
  isAdded: boolean;
  /** Its background work waits, because another account owns the same till or key. */
  isSuspended: boolean;
  /** We look for no work of an account that cannot be loaded: `times` in a row, and until `until`. */
  leftOut: { times: number; until: number; isOver: boolean } | null;
  /** The source gave this when the account was opened; null when the host has declared or added it. */
  loaded: GivenBySource | null;
  /** The opening that is under way, once for all who wait. */
  loading: Promise<Reloaded> | null;
  /** The question that is under way whether the source has it, once for all who wait. */
  looking: Promise<boolean> | null;
  /** The times at which the source last did not have it, at which it could not be loaded, and at which a delivery for it was refused. */
  missingAt: number;
  failedAt: number;
  refusedAt: number;
  /** The time since which it is removed; null while it is not. */
  leavingSince: number | null;
  /** The host has removed it here, and the source not yet. */
  isRemovedHere: boolean;
}

/** A time at which nothing happened. */
export const NEVER = Number.NEGATIVE_INFINITY;

/** Returns an entry of a name of which nothing is known. */
export function anEntry(account: string): AccountEntry {
  return {
    account,
    settings: null,
    isAdded: false,
    isSuspended: false,
    leftOut: null,
    loaded: null,
    loading: null,
    looking: null,
    missingAt: NEVER,
    failedAt: NEVER,
    refusedAt: NEVER,
    leavingSince: null,
    isRemovedHere: false,
  };
}
