import { rawTextProblem } from '@tillkit/payments/internal/tools';
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
  const source = sourceOf(given);
  const keys = (given ?? environment['PAYMENTS_API_KEYS']?.split(',') ?? [])
    .map((key) => key.trim())
    .filter((key) => key !== '');
  return keys.map((key, at) => ({
    key,
    name: keys.length === 1 ? `the key of ${source}` : `key ${at + 1} of ${source}`,
  }));
}

/** @throws UsageError when there is none, or when one is not what was meant by it */
export function requireApiKeys(
  given: readonly string[] | undefined,
  environment: NodeJS.ProcessEnv,
  missing = 'there is no API key: set PAYMENTS_API_KEYS to the key of the merchant portal, or give --key <key>.',
): ApiKey[] {
  const keys = apiKeysOf(given, environment);
  if (keys.length === 0) throw new UsageError(missing);
  const texts = keys.map(({ key }) => key);
  const problem = [texts.join(','), ...texts].map(rawTextProblem).find((each) => each !== null);
  if (problem) throw new UsageError(`${sourceOf(given)} ${problem}.`);
  return keys;
}

function sourceOf(given: readonly string[] | undefined): string {
  return given ? '--key' : 'PAYMENTS_API_KEYS';
}
