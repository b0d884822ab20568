import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import type { PaymentsSettings } from '../../accounts/payments.settings.js';
import { readTimestamp } from '../../money/timestamp.js';
import { PlatformResponseError } from '../../platform.errors.js';
import { SafeLogger } from '../../runtime/logging.js';
import type { TokenHolder, TokensStore } from '../../store/tokens.store.js';
import { wireObject, type WireObject, wireText } from '../wire-value.js';

/** A valid token. */
export interface LiveToken {
  value: string;
  /** Milliseconds until it expires. */
  expiresInMs: number;
}

/** Names the application to which the platform gives tokens. */
export function applicationOf({
  baseUrl,
  tokenBaseUrl,
  clientId,
}: Pick<PaymentsSettings, 'baseUrl' | 'tokenBaseUrl' | 'clientId'>): string {
  return [...new Set([baseUrl, tokenBaseUrl]), clientId].join(' ');
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Shares the token between replicas through the store. The token is encrypted with a key derived from the client secret. When the
 * store is unavailable, the replica requests a token of its own; no call fails.
 */
export class TokenVault {
  private readonly logger = new SafeLogger();
  private readonly owner = randomUUID();
  private readonly account: string;
  private readonly holder: TokenHolder;
  private readonly key: Buffer;

  /** A new client secret has a new key: then each replica requests a token, once. */
  constructor(
    private readonly tokensStore: TokensStore,
    settings: PaymentsSettings,
  ) {
    const { account, clientSecret } = settings;
    const application = applicationOf(settings);
    this.account = account;
    this.holder = { account, application };
    this.key = Buffer.from(hkdfSync('sha256', clientSecret, application, 'tillkit token v1', 32));
  }

  /** Returns the shared token; null when there is none, or when it cannot be decrypted with our secret. */
  async read(): Promise<LiveToken | null> {
    const stored = await this.quietly(null, () => this.tokensStore.read(this.holder));
    const value = stored && this.open(stored.sealed);
    return value ? { value, expiresInMs: stored.expiresInMs } : null;
  }

  /** Claims the right to renew the token, with a lease of `leaseMs` milliseconds. False when another process has it. */
  claimRenewal(leaseMs: number): Promise<boolean> {
    return this.quietly(true, () =>
      this.tokensStore.claimRenewal(this.holder, this.owner, leaseMs),
    );
  }

  /** Shares a new token and ends the claim. */
  save({ value, expiresInMs }: LiveToken): Promise<void> {
    const sealed = this.seal(value);
    return this.quietly(undefined, () =>
      this.tokensStore.save(this.holder, this.owner, { sealed, expiresInMs }),
    );
  }

  /** Ends the claim after a renewal that failed. */
  releaseRenewal(): Promise<void> {
    return this.quietly(undefined, () => this.tokensStore.releaseRenewal(this.holder, this.owner));
  }

  /** Deletes the shared token if it has this value. */
  async delete(value: string): Promise<void> {
    if ((await this.read())?.value === value)
      await this.quietly(undefined, () => this.tokensStore.clear(this.holder));
  }

  private async quietly<T>(otherwise: T, use: () => Promise<T>): Promise<T> {
    try {
      return await use();
    } catch (error) {
      this.logger.seldom(
        'warn',
        'not shared',
        `the token could not be shared with other replicas, so each requests its own: ${error instanceof Error ? error.message : 'store failed'}`,
        { account: this.account },
      );
      return otherwise;
    }
  }

  private seal(value: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv).setAAD(Buffer.from(this.account));
    return Buffer.concat([iv, cipher.update(value), cipher.final(), cipher.getAuthTag()]);
  }

  /** Decrypts a token; null when it was encrypted with another client secret, for example before the secret was renewed. */
  private open(sealed: Buffer): string | null {
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.key, sealed.subarray(0, IV_BYTES))
        .setAAD(Buffer.from(this.account))
        .setAuthTag(sealed.subarray(-TAG_BYTES));
      const text = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString();
    } catch {
      return null;
    }
  }
}

/**
 * The platform says this about a token. A field that the platform did not send is null.
 * @see docs/conformance.md#tokens
 * @publicApi
 */
export interface TokenIntrospection {
  /** True when the token is valid. */
  active: boolean;
  scope: string;
  clientId: string | null;
  tokenType: string | null;
  expiresAt: Date | null;
  issuedAt: Date | null;
  raw: Record<string, unknown>;
}

/**
 * The platform says this about the token of the request. A field that the platform did not send is null.
 * @see docs/conformance.md#tokens
 * @publicApi
 */
export interface TokenInfo {
  resourceOwnerId: string | null;
  scope: string[];
  /** Seconds until the token expires. */
  expiresIn: number | null;
  applicationUid: string | null;
  createdAt: Date | null;
  raw: Record<string, unknown>;
}

/** Characters that are safe in a header: with others, a token could add headers to our requests. */
const TOKEN = /^[\x21-\x7e]{1,8192}$/;

/** A token is used for so many seconds if the platform does not say how long it lives. */
const ASSUMED_LIFE_S = 300;

/**
 * Reads an access token. It ignores `created_at`, which comes in several formats: validity starts when we receive the token.
 * @throws PlatformResponseError that names the field that cannot be used
 * @see docs/conformance.md#tokens
 */
export function readToken(operation: string, body: WireObject): LiveToken {
  const unusable = (field: string): PlatformResponseError =>
    new PlatformResponseError(operation, 200, `its ${field} cannot be used.`);
  const value = body['access_token'];
  if (typeof value !== 'string' || !TOKEN.test(value)) throw unusable('access_token');
  const type = body['token_type'] ?? 'Bearer';
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') throw unusable('token_type');
  const seconds = Number(wireText(body['expires_in'] ?? ASSUMED_LIFE_S) ?? Number.NaN);
  if (!(seconds > 0 && seconds < 1e9)) throw unusable('expires_in');
  return { value, expiresInMs: seconds * 1000 };
}

export function readIntrospection(raw: WireObject): TokenIntrospection {
  return {
    active: raw['active'] === true,
    scope: wireText(raw['scope']) ?? '',
    clientId: wireText(raw['client_id']),
    tokenType: wireText(raw['token_type']),
    expiresAt: readTimestamp(raw['exp']),
    issuedAt: readTimestamp(raw['iat']),
    raw,
  };
}

export function readTokenInfo(raw: WireObject): TokenInfo {
  const { scope } = raw;
  return {
    resourceOwnerId: wireText(raw['resource_owner_id']),
    scope: Array.isArray(scope) ? scope.map(String) : [],
    expiresIn: typeof raw['expires_in'] === 'number' ? raw['expires_in'] : null,
    applicationUid: wireText(wireObject(raw['application'])?.['uid']),
    createdAt: readTimestamp(raw['created_at']),
    raw,
  };
}
