import { parseArgs } from 'node:util';

/** The options of the command line. */
export interface BenchArguments {
  /** Names of the benchmarks to run; empty: all. */
  names: string[];
  list: boolean;
  /** Small numbers and one round, to check that everything works. */
  smoke: boolean;
  quiet: boolean;
  rounds: number | undefined;
  /** Finished rows in the database of `finished-rows`, payments of the shop of `dashboard-pages`. */
  rows: number | undefined;
  json: string | undefined;
  /** Directory for a CPU profile of each subject. */
  profile: string | undefined;
}

export const USAGE = `npm run bench -- [NAME ...] [--smoke] [--rounds N] [--rows N] [--json FILE] [--profile DIR] [--quiet] [--list]`;

/** @throws Error that names the invalid argument */
export function readArguments(argv: readonly string[], known: readonly string[]): BenchArguments {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      smoke: { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      rows: { type: 'string' },
      json: { type: 'string' },
      profile: { type: 'string' },
    },
  });
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(
      `There is no benchmark ${unknown.join(', ')}. The benchmarks are ${known.join(', ')}.`,
    );
  }
  return {
    names: positionals,
    list: values.list,
    smoke: values.smoke,
    quiet: values.quiet,
    rounds: count('rounds', values.rounds),
    rows: count('rows', values.rows),
    json: values.json,
    profile: values.profile,
  };
}

function count(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name} must be a whole number above 0, not "${text}".`);
}
