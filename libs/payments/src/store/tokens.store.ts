/** Says who has a token: an account may change to another application of the platform, and replicas learn that one after the other. */
export interface TokenHolder {
  account: string;
  /** Origin of the platform, and client id. */
  application: string;
}

/** A shared token: encrypted bytes. */
export interface SealedToken {
  sealed: Buffer;
  expiresInMs: number;
}

/** Store of the shared tokens, one for each application. Every method may throw `StoreUnavailableError`. */
export abstract class TokensStore {
  abstract read(holder: TokenHolder): Promise<SealedToken | null>;
  /** Claims the right to renew the token, for one process at a time. The owner may claim it again. */
  abstract claimRenewal(holder: TokenHolder, owner: string, leaseMs: number): Promise<boolean>;
  /** Stores a token, ends the claim of its owner, and deletes what is left of former applications of the account. */
  abstract save(holder: TokenHolder, owner: string, token: SealedToken): Promise<void>;
  abstract releaseRenewal(holder: TokenHolder, owner: string): Promise<void>;
  /** Deletes the token. */
  abstract clear(holder: TokenHolder): Promise<void>;
}
