/** Checks what npm would publish: npm run check:package, after npm run build. The command of @tillkit/cli has no types to check. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { publishedPackages } from '../../scripts/packages.mjs';

const BIN = join(import.meta.dirname, 'node_modules/.bin');

/** By these, people find a package, and report what is wrong with it. */
const NEEDED = ['description', 'keywords', 'homepage', 'repository', 'bugs', 'license'];

for (const { directory, manifest } of publishedPackages()) {
  const missing = NEEDED.filter((field) => !manifest[field]?.length && !manifest[field]?.url);
  if (missing.length > 0) throw new Error(`${directory}/package.json has no ${missing.join(', ')}`);
  const check = (tool, ...args) => execFileSync(join(BIN, tool), args, { stdio: 'inherit' });
  check('publint', '--strict', directory);
  if (manifest.exports['.']) check('attw', '--pack', directory, '--profile', 'esm-only');
}
