import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** With this bit every user may enter a directory, also the user that PostgreSQL runs as. */
const EXECUTABLE_BY_OTHERS = 0o001;

/**
 * Returns the directory of the shop's data: `SHOP_DATA`, or `.data/shop` in the project. PostgreSQL refuses to run as root. If root starts the shop
 * in a directory that other users may not enter, the data is in a directory under `/var/tmp`.
 */
export function dataDirectory({ SHOP_DATA }: NodeJS.ProcessEnv, cwd = process.cwd()): string {
  if (SHOP_DATA) return resolve(cwd, SHOP_DATA);
  const inProject = resolve(cwd, '.data/shop');
  if (process.getuid?.() !== 0 || canEveryoneEnter(cwd)) return inProject;
  const hash = createHash('sha256').update(inProject).digest('hex').slice(0, 8);
  return join('/var/tmp', `tillkit-shop-${hash}`);
}

function canEveryoneEnter(directory: string): boolean {
  const parent = dirname(directory);
  return (
    (statSync(directory).mode & EXECUTABLE_BY_OTHERS) !== 0 &&
    (parent === directory || canEveryoneEnter(parent))
  );
}
