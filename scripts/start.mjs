/**
 * Opens the sample shop from the sources, nothing is built: npm start. A second one in the same folder changes nothing and says where the
 * first is.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { progress } from './progress.mjs';
import { takeFolder } from './running.shop.mjs';

const ROOT = join(import.meta.dirname, '..');

// Until the shop has its own handlers there is nothing to close. Exit with code 0: npm reports a process that ended by a signal as failed.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => process.listenerCount(signal) === 0 && process.exit(0));

let where = 'It is still starting';
const running = await takeFolder(ROOT, () => where);
if (running !== null) {
  process.stderr.write(
    `The shop of ${ROOT} already runs. ${running}. Stop it with Ctrl-C in its terminal before you start it again.\n`,
  );
  process.exit(1);
}
progress('Starting the shop...');
execFileSync(process.execPath, [join(ROOT, 'scripts/generate.mjs')], { stdio: 'inherit' });
const { shop } = await import('../sample-app/src/main.ts');
where = `Open ${shop.url}`;
