/**
 * Packages that only some scripts need are not in the root: they stand in folders with a manifest and a lock file of their own, and are
 * installed by the script that needs them when the lock file is not the one of the last installation.
 * Usage: node scripts/tools.mjs FOLDER...
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { progress } from './progress.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** @param {string} folder relative to the root, as `tools/site` */
export function installTools(folder) {
  const directory = join(ROOT, folder);
  const lock = readFileSync(join(directory, 'package-lock.json'), 'utf8');
  // npm ci removes the folder with the stamp before it installs.
  const stamp = join(directory, 'node_modules/.installed-lock.json');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  const end = progress(`Installing the packages of ${folder}...`);
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  writeFileSync(stamp, lock);
  end();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.argv.slice(2).forEach(installTools);
