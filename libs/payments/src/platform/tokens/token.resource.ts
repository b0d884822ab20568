import { PlatformResponseError } from '../../payments.errors.js';
import { readTimestamp } from '../../money/timestamp.js';
import { wireObject, wireText, type WireObject } from '../wire-value.js';
import type { LiveToken } from './token-vault.js';

/**
 * What the platform says about a token. A field that the platform did not send is null.
 * @see docs/conformance.md#tokens
 * @publicApi
 */
export interface TokenIntrospection {
  /** Whether the token is valid. */
  active: boolean;
  scope: string;
  clientId: string | null;
  tokenType: string | null;
  expiresAt: Date | null;
  issuedAt: Date | null;
  raw: Record<string, unknown>;
}

/**
 * What the platform says about the token of the request. A field that the platform did not send is null.
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

/** How long a token is used if the platform does not say how long it lives. */
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
