import { parseArgs } from 'node:util';

/** What the command line asks for. */
export interface BenchArguments {
  /** Names of benchmarks; empty: all. */
  names: string[];
  list: boolean;
  /** Small numbers and one round: only to see that everything works. */
  smoke: boolean;
  quiet: boolean;
  rounds: number | undefined;
  /** Finished rows in the database of `finished-rows`. */
  rows: number | undefined;
  /** Deliveries of `endurance`. */
  deliveries: number | undefined;
  json: string | undefined;
  /** Directory for CPU profiles of every subject. */
  profile: string | undefined;
}

export const USAGE = `npm run bench -- [NAME ...] [--smoke] [--rounds N] [--rows N] [--deliveries N] [--json FILE] [--profile DIR] [--quiet] [--list]`;

/** @throws Error that names what is not understood */
export function readArguments(words: readonly string[], known: readonly string[]): BenchArguments {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      smoke: { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      rows: { type: 'string' },
      deliveries: { type: 'string' },
      json: { type: 'string' },
      profile: { type: 'string' },
    },
  });
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(`There is no benchmark ${unknown.join(', ')}. There are: ${known.join(', ')}.`);
  }
  return {
    names: positionals,
    list: values.list,
    smoke: values.smoke,
    quiet: values.quiet,
    rounds: count('rounds', values.rounds),
    rows: count('rows', values.rows),
    deliveries: count('deliveries', values.deliveries),
    json: values.json,
    profile: values.profile,
  };
}

function count(name: string, word: string | undefined): number | undefined {
  if (word === undefined) return undefined;
  const value = Number(word);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name} must be a whole number above 0, not "${word}".`);
}
