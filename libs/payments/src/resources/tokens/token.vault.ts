/** A token of ours and how long it is still good for. */
export interface LiveToken {
  value: string;
  /** Milliseconds of validity left, by the clock of whoever kept it. */
  expiresInMs: number;
}

/** Where replicas share their token. Implemented over the store. */
export abstract class TokenVault {
  /** The shared token; null when there is none, or none that can be read with our secret. */
  abstract read(): Promise<LiveToken | null>;

  /** Whether this process may renew now; another one that may has a lease of `leaseMs`. */
  abstract claimRenewal(leaseMs: number): Promise<boolean>;

  /** Shares a new token and ends the claim. */
  abstract save(token: LiveToken): Promise<void>;

  /** Ends the claim after a renewal that failed. */
  abstract releaseRenewal(): Promise<void>;

  /** Forgets the shared token if it is this one. */
  abstract forget(value: string): Promise<void>;
}
