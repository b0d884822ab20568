/**
 * Builds the packages and the sample shop, each only if it changed: npm run build. Prints what it builds.
 *
 * A part is built again when a file that its output depends on has other content than at its last build: after an edit, after a
 * change of branch, after `npm ci`. Times of files say nothing about that.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * In this order. `needs` are the parts whose built types it reads; `assets` are the files beside the sources that it needs at run time.
 * `bundle` are the modules that a host imports: they are joined with those behind them, so that Node loads a few files and not hundreds.
 */
const PARTS = [
  { folder: 'libs/pages', needs: [] },
  {
    folder: 'libs/payments',
    needs: [],
    assets: /\.(cjs|d\.cts|json)$/,
    bundle: ['index', 'store', 'routes', 'tools', 'health', 'microservices'],
  },
  { folder: 'libs/simulator', needs: ['libs/pages'] },
  { folder: 'libs/postgres', needs: ['libs/payments'] },
  { folder: 'libs/dashboard', needs: ['libs/pages', 'libs/payments'] },
  { folder: 'libs/cli', needs: ['libs/payments', 'libs/postgres'] },
  {
    folder: 'sample-app',
    needs: ['libs/payments', 'libs/postgres', 'libs/simulator', 'libs/dashboard'],
    output: 'dist/sample-app',
    assets: /\.(css|js|svg|sql)$/,
  },
];
/** Files of a package that its output does not depend on. */
const NO_SOURCE = /\.md$|^sbom\.cdx\.json$/;

const SHARED = ['package-lock.json', 'tsconfig.json', 'scripts/build.mjs'];

export function build(root = ROOT, say = (line) => process.stdout.write(`${line}\n`)) {
  const digests = new Map();
  const stamps = join(root, 'node_modules/.cache/tillkit-build');
  mkdirSync(stamps, { recursive: true });
  for (const part of PARTS) {
    const needed = part.needs.map((folder) => digests.get(folder));
    const digest = digestOf(root, part.folder, needed);
    digests.set(part.folder, digest);
    const output = join(root, part.output ?? `${part.folder}/dist`);
    const stamp = join(stamps, part.folder.replace('/', '-'));
    if (isBuilt(output, stamp, digest)) continue;
    say(`Building ${part.folder}...`);
    // An interrupted build has no stamp, and is repeated.
    rmSync(stamp, { force: true });
    rmSync(output, { recursive: true, force: true });
    compile(root, part.folder);
    if (part.assets) copyAssets(join(root, part.folder, 'src'), output, part.assets);
    if (part.bundle) bundle(output, part.bundle);
    writeFileSync(stamp, digest);
  }
}

function isBuilt(output, stamp, digest) {
  return existsSync(output) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest;
}

function digestOf(root, folder, needed) {
  const hash = createHash('sha256').update(JSON.stringify(needed));
  const own = readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && !NO_SOURCE.test(entry.name))
    .map(({ name }) => name);
  const sources = readdirSync(join(root, folder, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, folder).length + 1));
  const paths = [...SHARED, ...[...own, ...sources].map((path) => join(folder, path))].toSorted();
  for (const path of paths) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

function compile(root, folder) {
  const project = folder.startsWith('libs/') ? 'tsconfig.lib.json' : 'tsconfig.app.json';
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', join(root, folder, project)], {
    stdio: 'inherit',
  });
}

function copyAssets(sources, output, assets) {
  for (const entry of readdirSync(sources, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && assets.test(entry.name))
      cpSync(path, join(output, path.slice(sources.length)));
  }
}

/** Joins modules; their source maps still lead to the sources. Classes keep their names, which errors and logs show. */
function bundle(output, entries) {
  const files = filesOf(output);
  const { outputFiles } = buildSync({
    entryPoints: entries.map((entry) => join(output, `${entry}.js`)),
    outdir: output,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Dependencies, and CommonJS of our own, which an ES module cannot contain.
    packages: 'external',
    external: files.filter((path) => path.endsWith('.cjs')),
    keepNames: true,
    sourcemap: true,
    sourcesContent: false,
    write: false,
  });
  for (const path of files) if (/\.js(\.map)?$/.test(path)) rmSync(path);
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
}

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    build();
  } catch {
    // The compiler has printed what is wrong.
    process.exitCode = 1;
  }
}
