import { UsageError } from '../command.errors.js';

/** An API key and a name for it, because a key itself is never printed. */
export interface ApiKey {
  readonly name: string;
  readonly key: string;
}

/** Returns the keys of `--key`, else those of `PAYMENTS_API_KEYS`. */
export function apiKeysOf(
  given: readonly string[] | undefined,
  environment: NodeJS.ProcessEnv,
): ApiKey[] {
  const source = given ? '--key' : 'PAYMENTS_API_KEYS';
  const keys = (given ?? environment['PAYMENTS_API_KEYS']?.split(',') ?? [])
    .map((key) => key.trim())
    .filter((key) => key !== '');
  return keys.map((key, at) => ({
    key,
    name: keys.length === 1 ? `the key of ${source}` : `key ${at + 1} of ${source}`,
  }));
}

/** @throws UsageError when there is none */
export function requireApiKeys(
  given: readonly string[] | undefined,
  environment: NodeJS.ProcessEnv,
): ApiKey[] {
  const keys = apiKeysOf(given, environment);
  if (keys.length > 0) return keys;
  throw new UsageError(
    'there is no API key: set PAYMENTS_API_KEYS to the key of the merchant portal, or give --key <key>.',
  );
}
