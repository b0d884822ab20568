/** Work of one account that may be claimed. */
export interface Due<T> {
  dueAt: number;
  claim: () => T;
}

/** Work that may be claimed at some time. */
export interface Waiting {
  id: string;
  dueAt: number;
  claimedUntil: number;
}

/** Claims the work that has been due longest, whatever its account is. */
export function claimLongestDue<T>(due: readonly Due<T>[], limit: number): T[] {
  return due
    .toSorted((one, other) => one.dueAt - other.dueAt)
    .slice(0, limit)
    .map((work) => work.claim());
}
