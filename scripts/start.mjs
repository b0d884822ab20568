/** Builds what changed and opens the sample shop: npm start. A second one in the same folder changes nothing and says where the first is. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from './build.mjs';
import { takeFolder } from './running.shop.mjs';

const ROOT = join(import.meta.dirname, '..');

let where = 'It is still starting';
const running = await takeFolder(ROOT, () => where);
if (running !== null) {
  process.stderr.write(
    `The shop of ${ROOT} already runs. ${running}. Stop it with Ctrl-C in its terminal before you start it again.\n`,
  );
  process.exit(1);
}
process.stdout.write('Starting the shop...\n');
try {
  execFileSync(process.execPath, [join(ROOT, 'scripts/generate.mjs')], { stdio: 'inherit' });
  build(ROOT);
} catch {
  process.stderr.write('The shop was not started: the build failed, as printed above.\n');
  process.exit(1);
}
const { shop } = await import('../dist/sample-app/main.js');
where = `Open ${shop.url}`;
