/** Says how the work on a claim ended. */
export type ClaimOutcome =
  /** `isDeleted` is true for a delivery about a person who was redacted. It is deleted. */
  | { kind: 'done'; note?: string; isDeleted?: boolean }
  | { kind: 'retry'; inMs: number; error: string }
  /** The work is not repeated any more: a listener call becomes a dead letter, a delivery becomes unrecognised. */
  | { kind: 'given_up'; error: string };

/** A claim is a lease on one piece of work. Only its holder may acknowledge the work, and only while the lease lasts. */
export interface Claim {
  id: string;
  account: string;
  /** Fencing token: each claim has its own, and an acknowledgement with an old one changes nothing. */
  token: string;
}

/** Some accounts: these, or all but these. */
export type AccountScope = readonly string[] | { readonly allBut: readonly string[] };

export function includes(scope: AccountScope, account: string): boolean {
  return 'allBut' in scope ? !scope.allBut.includes(account) : scope.includes(account);
}
