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

/** Two claims that contradict each other: that of `account` is new, that of `other` may be older. */
export type AccountConflict =
  | { kind: 'till'; account: string; other: string; till: string }
  /** They share an API key, and `silent` does not list its tills. */
  | { kind: 'key'; account: string; other: string; silent: string };

/** Store of the accounts in use. Every method may throw `StoreUnavailableError`. */
export abstract class AccountsStore {
  /**
   * Claims tills and keys for accounts: all at once, because a till may move from one of them to another. Returns what contradicts; if
   * anything does, nothing has changed. Each till and key is claimed for its own time: what a replica with older settings still
   * claims is not given up by one with newer settings, and the other way round.
   */
  abstract claim(
    claims: readonly AccountClaim[],
    forMs: number,
  ): Promise<readonly AccountConflict[]>;

  /** Those of some accounts that have work: operations to be read or sent, deliveries to be processed, calls to be made. */
  abstract withOpenWork(accounts: readonly string[]): Promise<readonly string[]>;
}
