import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const NEAR = '.data/shop';

/** Everybody may pass through a directory with this bit, also the user that PostgreSQL runs as. */
const PASSABLE_BY_ALL = 0o001;

/**
 * Where the shop keeps its things: `SHOP_DATA`, else beside the project. PostgreSQL refuses to run as root, so where root
 * starts the shop in a home that only root may enter, it is a directory of its own under `/var/tmp`.
 */
export function shopDirectory({ SHOP_DATA }: NodeJS.ProcessEnv, cwd = process.cwd()): string {
  if (SHOP_DATA) return resolve(cwd, SHOP_DATA);
  const near = resolve(cwd, NEAR);
  if (process.getuid?.() !== 0 || isPassable(cwd)) return near;
  return join(
    '/var/tmp',
    `tillkit-shop-${createHash('sha256').update(near).digest('hex').slice(0, 8)}`,
  );
}

function isPassable(directory: string): boolean {
  const parent = dirname(directory);
  return (
    (statSync(directory).mode & PASSABLE_BY_ALL) !== 0 &&
    (parent === directory || isPassable(parent))
  );
}
