/** Store of the shared token: encrypted bytes. Every method may throw `StoreUnavailableError`. */
export abstract class TokensStore {
  abstract read(account: string): Promise<{ sealed: Buffer; expiresInMs: number } | null>;
  /**
   * Claims the right to renew the token, for one process at a time. The owner may claim it again, for longer. Another application that
   * replaces the former one need not wait for it.
   */
  abstract claimRenewal(
    account: string,
    application: string,
    owner: string,
    leaseMs: number,
  ): Promise<boolean>;
  /** Stores a token, and ends the claim of its owner. */
  abstract save(account: string, owner: string, sealed: Buffer, expiresInMs: number): Promise<void>;
  abstract releaseRenewal(account: string, owner: string): Promise<void>;
  abstract clear(account: string): Promise<void>;
}
