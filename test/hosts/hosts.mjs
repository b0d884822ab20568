/**
 * Tests what hosts bring along: database libraries, and tools that intercept requests. With --kills it kills an application that often while a
 * transactional listener works, in each library: see effects.ts.
 * Usage: node test/hosts/hosts.mjs [--kills 50] [LIBRARY]... A library is a file of libraries/; by default all that this version of Node can run.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import './prepare.mjs';

/** The first version of Node that a library supports, if that is newer than ours. */
const NODE_OF = { kysely: 22, 'mikro-orm': 22 };

const JEST = [
  'npm',
  'test',
  '--silent',
  '--',
  'test/end-to-end/host-transactions',
  'test/end-to-end/interception-tools',
];
const EFFECTS = [
  process.execPath,
  '--conditions=@tillkit/source',
  '--import',
  './test/support/typescript.register.mjs',
  'test/hosts/effects.ts',
];

const { values, positionals } = parseArgs({
  options: { kills: { type: 'string' } },
  allowPositionals: true,
});
const all = readdirSync(join(import.meta.dirname, 'libraries')).map((file) =>
  basename(file, '.ts'),
);
const node = Number(process.versions.node.split('.')[0]);
const runnable = all.filter((library) => node >= (NODE_OF[library] ?? 0));
const libraries = positionals.length > 0 ? positionals : runnable;
const unknown = libraries.find((library) => !all.includes(library));
if (unknown !== undefined)
  throw new Error(`no library "${unknown}": name one of ${all.join(', ')}`);

console.log(`pg, ${libraries.join(', ')} on Node ${process.versions.node}`);
const [program, ...args] =
  values.kills === undefined ? JEST : [...EFFECTS, '--kills', values.kills];
const { status } = spawnSync(program, args, {
  stdio: 'inherit',
  env: { ...process.env, TILLKIT_HOST_LIBRARIES: libraries.join(',') },
});
process.exitCode = status ?? 1;
