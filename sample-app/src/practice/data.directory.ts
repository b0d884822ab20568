import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Everybody may pass through a directory with this bit, also the user that PostgreSQL runs as. */
const PASSABLE_BY_ALL = 0o001;

/**
 * Where the shop keeps its data: in `SHOP_DATA`, or beside the project. PostgreSQL refuses to run as root. Where root
 * starts the shop in a directory that only root may enter, the data is in a directory of its own under `/var/tmp`.
 */
export function dataDirectory({ SHOP_DATA }: NodeJS.ProcessEnv, cwd = process.cwd()): string {
  if (SHOP_DATA) return resolve(cwd, SHOP_DATA);
  const near = resolve(cwd, '.data/shop');
  if (process.getuid?.() !== 0 || isPassable(cwd)) return near;
  const hash = createHash('sha256').update(near).digest('hex').slice(0, 8);
  return join('/var/tmp', `tillkit-shop-${hash}`);
}

function isPassable(directory: string): boolean {
  const parent = dirname(directory);
  return (
    (statSync(directory).mode & PASSABLE_BY_ALL) !== 0 &&
    (parent === directory || isPassable(parent))
  );
}
