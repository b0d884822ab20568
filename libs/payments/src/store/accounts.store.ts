import type { Page, PageRequest } from './transactions.store.js';

/** An account reserves its tills and keys, so that no other account takes its money. */
export interface AccountClaim {
  account: string;
  /** Its tills, with aliases resolved. */
  tills: readonly string[];
  /** SHA-256 of each of its API keys, in hex. */
  keyHashes: readonly string[];
  /** True when it lists its tills, so that it ignores money at other tills. Such accounts may share an API key. */
  listsTills: boolean;
}

/** Two accounts want the same till or key: `account` is refused, and `other` owns it or wants it in the same call. */
export type AccountConflict =
  | { kind: 'till'; account: string; other: string; till: string }
  /** They share an API key, and `silent` does not list its tills. */
  | { kind: 'key'; account: string; other: string; silent: string };

/** Selects accounts by name. @publicApi */
export interface AccountFilter {
  /** Only names that begin with this text. Upper and lower case differ. */
  beginsWith?: string;
  /** Only these names. */
  among?: readonly string[];
}

/** `AccountsStore.attention()` counts each thing of an account up to this number, and then one more: "more than 100". */
export const MOST_COUNTED = 100;

/** An operator of an account may have to look at these. */
export interface AccountAttention {
  account: string;
  /** Operations that were sent and have not settled, and payments that are about to be sent; of those in the store that are due first (50,000). */
  open: number;
  /** Operations in review. */
  inReview: number;
  deadLetters: number;
  /** Unrecognised deliveries. */
  unrecognised: number;
}

/** Store of the accounts in use. Every method may throw `StoreUnavailableError`. */
export abstract class AccountsStore {
  /**
   * Reserves tills and keys for accounts: all at once. Returns what contradicts; if anything does, nothing has changed. A till belongs to its
   * account until it is released; the keys of an account are those that were reserved last.
   */
  abstract claim(claims: readonly AccountClaim[]): Promise<readonly AccountConflict[]>;

  /** Releases what an account owns: some tills, or with null all. Returns the tills that it had. */
  abstract release(account: string, tills: readonly string[] | null): Promise<readonly string[]>;

  /** True when another account owns one of these numbers of a till. */
  abstract isClaimedByAnother(account: string, tills: readonly string[]): Promise<boolean>;

  /** Notes that accounts are in use, each at the first call for it by any process. */
  abstract noteStarts(accounts: readonly string[]): Promise<void>;

  /** Returns the milliseconds since the account was first in use; 0 when nobody has noted that. */
  abstract msSinceFirstStart(account: string): Promise<number>;

  /** Returns the names of all accounts that were ever in use, in the order of their characters' codes. */
  abstract list(filter: AccountFilter, page: PageRequest): Promise<Page<string>>;

  /** Returns what needs attention in each of some accounts, in their order. It is one statement, whatever their number. */
  abstract attention(accounts: readonly string[]): Promise<readonly AccountAttention[]>;

  /** Returns those of some accounts that have work: operations to be read or sent, deliveries to be processed, calls to be made. */
  abstract withOpenWork(accounts: readonly string[]): Promise<readonly string[]>;
}
