/** The account of every history, and the second account of a history with two. */
export const ACCOUNTS = ['default', 'twin'] as const;
export type Account = (typeof ACCOUNTS)[number];

/** Returns a text in the data of an account. The data of no other account has it. */
export function markOf(account: Account): string {
  return `of-${account}`;
}
