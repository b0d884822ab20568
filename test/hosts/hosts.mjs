/**
 * Tests what hosts bring along: database libraries, and tools that intercept requests.
 * Usage: node test/hosts/hosts.mjs [LIBRARY]... A library is a file of libraries/; by default all that this version of Node can run.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import './prepare.mjs';

const LIBRARIES = join(import.meta.dirname, 'libraries');

/** The first version of Node that a library supports, if that is newer than ours. */
const NODE_OF = { kysely: 22, 'mikro-orm': 22 };

const all = readdirSync(LIBRARIES).map((file) => basename(file, '.ts'));
const node = Number(process.versions.node.split('.')[0]);
const runnable = all.filter((library) => node >= (NODE_OF[library] ?? 0));
const named = process.argv.slice(2);
const libraries = named.length > 0 ? named : runnable;
const unknown = libraries.find((library) => !all.includes(library));
if (unknown !== undefined)
  throw new Error(`no library "${unknown}": name one of ${all.join(', ')}`);

console.log(`${libraries.join(', ')} on Node ${process.versions.node}`);
const { status } = spawnSync(
  'npm',
  [
    'test',
    '--silent',
    '--',
    'test/end-to-end/host-transactions',
    'test/end-to-end/interception-tools',
  ],
  { stdio: 'inherit', env: { ...process.env, TILLKIT_HOST_LIBRARIES: libraries.join(',') } },
);
process.exitCode = status ?? 1;
