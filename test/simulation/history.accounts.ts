/** The account of every history, and the second one of a history with two. */
export const ACCOUNTS = ['default', 'twin'] as const;
export type Account = (typeof ACCOUNTS)[number];

/** A text in the data of an account that the data of no other account has. */
export function markOf(account: Account): string {
  return `of-${account}`;
}
