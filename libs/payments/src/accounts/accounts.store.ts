/** What an account claims for as long as it is in use, so that no other account takes its money. */
export interface AccountClaim {
  account: string;
  /** Its tills, with aliases resolved. */
  tills: readonly string[];
  /** SHA-256 of each of its API keys, in hex. */
  keyHashes: readonly string[];
  /** Whether it lists its tills, so that it ignores money at other tills. Such accounts may share an API key. */
  listsTills: boolean;
}

/** A claim of another account that contradicts. */
export type AccountConflict =
  | { kind: 'till'; account: string; till: string }
  /** One of the two accounts does not list its tills; `listsTills` is that of the other account. */
  | { kind: 'key'; account: string; listsTills: boolean };

/** Store of the accounts in use. Every method may throw `StoreUnavailableError`. */
export abstract class AccountsStore {
  /**
   * Claims tills and keys for an account, instead of what it claimed before. Returns the contradicting claims of other accounts; if
   * there are any, nothing has changed. A claim that is not repeated in time ends.
   */
  abstract claim(claim: AccountClaim, forMs: number): Promise<readonly AccountConflict[]>;
}
