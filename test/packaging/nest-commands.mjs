/**
 * Nest's own commands on this repository: `nest build --all`, `nest build` and `nest start sample-app`, with nest-cli.json at the top.
 * Usage: npm run test:nest
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NEST = join(ROOT, 'node_modules/.bin/nest');
const read = (name) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

const roots = Object.values(read('nest-cli.json').projects).map(({ root }) => root);
const missing = [...read('package.json').workspaces, 'sample-app'].filter(
  (folder) => !roots.includes(folder),
);
if (missing.length > 0) throw new Error(`nest-cli.json has not ${missing.join(', ')}`);

for (const folder of roots) rmSync(outputOf(folder), { recursive: true, force: true });
for (const args of [['build', '--all'], ['build']])
  execFileSync(NEST, args, { cwd: ROOT, stdio: 'inherit' });
for (const folder of roots)
  if (!existsSync(outputOf(folder))) throw new Error(`nest build has not built ${folder}`);

const data = mkdtempSync(join(tmpdir(), 'tillkit-nest-start-'));
// PostgreSQL of root runs as another user.
chmodSync(data, 0o711);
const shop = spawn(NEST, ['start', 'sample-app'], {
  cwd: ROOT,
  // A group of its own, to stop the shop as Ctrl-C does.
  detached: true,
  env: { ...process.env, PORT: '0', SHOP_DATA: join(data, 'shop') },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(shop, 'close');
let output = '';
shop.stdout.on('data', (chunk) => {
  const wasOpen = output.includes('Ctrl-C stops');
  output += chunk;
  if (!wasOpen && output.includes('Ctrl-C stops') && shop.pid) process.kill(-shop.pid, 'SIGINT');
});
await ended;
rmSync(data, { recursive: true, force: true });
if (!/The shop is open[^]*Closing the shop/.test(output))
  throw new Error(`nest start sample-app printed only: ${output}`);
process.stdout.write('nest build --all, nest build and nest start sample-app work.\n');

function outputOf(folder) {
  return join(ROOT, folder === 'sample-app' ? 'dist/sample-app' : `${folder}/dist`);
}
