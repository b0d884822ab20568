import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { rawTextProblem } from '../money/values.js';
import { DEFAULT_PATH } from '../payments-defaults.js';
import { distance } from '../runtime/nearest-name.js';

/** Reads one environment variable, from the host's ConfigService or from `process.env`. */
export type ReadVariable = (name: string) => string | undefined;

/** The environment variable of each option. */
export const VARIABLES = {
  baseUrl: 'PAYMENTS_BASE_URL',
  tokenBaseUrl: 'PAYMENTS_TOKEN_BASE_URL',
  apiVersions: 'PAYMENTS_API_VERSIONS',
  clientId: 'PAYMENTS_CLIENT_ID',
  clientSecret: 'PAYMENTS_CLIENT_SECRET',
  publicUrl: 'PAYMENTS_PUBLIC_URL',
  apiKeys: 'PAYMENTS_API_KEYS',
  urlSecrets: 'PAYMENTS_URL_SECRETS',
  tillNumber: 'PAYMENTS_TILL_NUMBER',
  tills: 'PAYMENTS_TILLS',
  tillAliases: 'PAYMENTS_TILL_ALIASES',
  channel: 'PAYMENTS_CHANNEL',
  userAgent: 'PAYMENTS_USER_AGENT',
  defaultCountry: 'PAYMENTS_DEFAULT_COUNTRY',
} as const;

const PREFIX = 'PAYMENTS_';
const PATH = 'PAYMENTS_PATH';

/** Returns the path of the routes. A variable that is empty says nothing. */
export function pathOf({ path }: { path?: string }, read: ReadVariable): string {
  return path ?? (read(PATH)?.trim() || DEFAULT_PATH);
}

export function pathProblems(path: string): string[] {
  const problem = rawTextProblem(path);
  return problem ? [`the path of the routes (${PATH}) ${problem}`] : [];
}

/** Reads a file of variables; without one that can be read, there are none. */
function variablesIn(path: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}

/**
 * Says that the file `.env` of a folder has variables that are missing: many frameworks read it by themselves, and Nest does not.
 * @param missing names of variables that are not set
 */
export function unreadFile(missing: readonly string[], folder = process.cwd()): string[] {
  const path = join(folder, '.env');
  const variables = missing.length > 0 ? variablesIn(path) : {};
  const there = missing.filter((name) => (variables[name] ?? '').trim() !== '');
  if (there.length === 0) return [];
  return [
    `the file ${path} has ${there.join(', ')}, and nothing has put this into the environment: write ConfigModule.forRoot() of ` +
      '@nestjs/config before PaymentsModule.forRoot() in the imports of the root module, or start Node.js with --env-file=.env',
  ];
}

/** The variables of the options, and those that are read elsewhere. */
const KNOWN: readonly string[] = [
  ...Object.values(VARIABLES),
  PATH,
  'PAYMENTS_DATABASE_URL',
  'PAYMENTS_DATABASE_READ_URL',
];

/**
 * Returns variables whose names resemble ours and are not ours, each with the names that may be meant: those that are neither set nor given as
 * options. A host may have variables of its own that begin like ours, so a name that resembles none is no problem.
 */
export function misspeltVariables(
  given: readonly string[],
  options: Readonly<Partial<Record<keyof typeof VARIABLES, unknown>>> = {},
): string[] {
  const asOptions = Object.entries(VARIABLES)
    .filter(([option]) => (options[option as keyof typeof VARIABLES] ?? null) !== null)
    .map(([, name]): string => name);
  const free = KNOWN.filter((name) => !given.includes(name) && !asOptions.includes(name));
  return given
    .filter((name) => !KNOWN.includes(name))
    .map((name) => ({ name, meant: free.filter((known) => resemble(name, known)) }))
    .filter(({ meant }) => meant.length > 0)
    .map(({ name, meant }) => `${name} is not read: did you mean ${meant.join(' or ')}?`);
}

/** One name has all words of the other one, or few letters differ: one at most where a name does not begin like ours. */
function resemble(one: string, known: string): boolean {
  if (!one.startsWith(PREFIX))
    return Math.abs(one.length - known.length) <= 1 && distance(one, known) === 1;
  const [words, others] = [wordsOf(one), wordsOf(known)];
  const [few, many] = words.length < others.length ? [words, others] : [others, words];
  return (
    few.every((word) => many.includes(word)) ||
    distance(one, known) * 4 <= known.length - PREFIX.length
  );
}

/** Returns the words of a name, in the singular. */
function wordsOf(name: string): string[] {
  return name
    .slice(PREFIX.length)
    .split('_')
    .map((word) => word.replace(/S$/, ''));
}
