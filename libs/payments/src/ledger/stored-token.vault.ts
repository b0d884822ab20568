import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { TokenVault, type LiveToken } from '../resources/tokens/token.vault.js';
import { PaymentsStore } from './payments.store.js';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Shares the token between replicas through the store, encrypted with a key that only who has the client secret can
 * derive. A store that is away costs a token request more, never a call.
 */
@Injectable()
export class StoredTokenVault extends TokenVault {
  private readonly logger = new Logger('Tillkit');
  private readonly owner = randomUUID();
  private readonly key: Buffer;
  private readonly account: string;

  constructor(
    private readonly store: PaymentsStore,
    @Inject(RESOLVED_OPTIONS) { account, clientId, clientSecret }: ResolvedPaymentsOptions,
  ) {
    super();
    this.account = account;
    this.key = Buffer.from(hkdfSync('sha256', clientSecret, clientId, 'tillkit token v1', 32));
  }

  async read(): Promise<LiveToken | null> {
    const stored = await this.quietly(null, () => this.store.readToken(this.account));
    const value = stored && this.open(stored.sealed);
    return value ? { value, expiresInMs: stored.expiresInMs } : null;
  }

  claimRenewal(leaseMs: number): Promise<boolean> {
    return this.quietly(true, () =>
      this.store.claimTokenRenewal(this.account, this.owner, leaseMs),
    );
  }

  save({ value, expiresInMs }: LiveToken): Promise<void> {
    return this.quietly(undefined, () =>
      this.store.saveToken(this.account, this.owner, this.seal(value), expiresInMs),
    );
  }

  releaseRenewal(): Promise<void> {
    return this.quietly(undefined, () => this.store.releaseTokenRenewal(this.account, this.owner));
  }

  async forget(value: string): Promise<void> {
    if ((await this.read())?.value === value)
      await this.quietly(undefined, () => this.store.clearToken(this.account));
  }

  private async quietly<T>(otherwise: T, use: () => Promise<T>): Promise<T> {
    try {
      await this.store.init();
      return await use();
    } catch (error) {
      this.logger.warn(
        `the token cannot be shared for now: ${error instanceof Error ? error.message : 'store failed'}`,
      );
      return otherwise;
    }
  }

  private seal(value: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv).setAAD(Buffer.from(this.account));
    return Buffer.concat([iv, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  }

  /** Null when it was sealed with another secret, as after credentials were renewed: then it is not ours to use. */
  private open(sealed: Buffer): string | null {
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.key, sealed.subarray(0, IV_BYTES))
        .setAAD(Buffer.from(this.account))
        .setAuthTag(sealed.subarray(-TAG_BYTES));
      const text = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    } catch {
      return null;
    }
  }
}
