/**
 * Builds the packages and the sample shop, each only if it changed: npm run build. Prints what it builds.
 *
 * A part is built again when a file that its output depends on has other content than at its last build, or its output has: after an
 * edit, after a change of branch, after `npm ci`, after `nest build`. Times of files say nothing about that. Of the parts that it needs
 * it reads the built types: while these are the same, it is not built again.
 *
 * TypeScript 7 compiles; its JavaScript is that of TypeScript 6, which Nest's tools need.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Parts that do not need each other are built side by side. `needs` are the parts whose built types a part reads; `assets` are the files beside the
 * sources that it needs at run time. `bundle` are the modules that a host imports: they are joined with those behind them, so that Node loads a few
 * files and not hundreds.
 */
const PARTS = [
  { folder: 'libs/pages', needs: [] },
  {
    folder: 'libs/payments',
    needs: [],
    assets: /\.(cjs|d\.cts|json)$/,
    bundle: [
      'index',
      'types',
      'internal/store',
      'internal/routes',
      'internal/tools',
      'health',
      'microservices',
    ],
  },
  { folder: 'libs/simulator', needs: ['libs/pages'] },
  { folder: 'libs/postgres', needs: ['libs/payments'] },
  { folder: 'libs/dashboard', needs: ['libs/pages', 'libs/payments'] },
  { folder: 'libs/cli', needs: ['libs/payments', 'libs/postgres', 'libs/simulator'] },
  {
    folder: 'sample-app',
    needs: ['libs/pages', 'libs/payments', 'libs/postgres', 'libs/simulator', 'libs/dashboard'],
    output: 'dist/sample-app',
    assets: /\.(css|js|svg|sql)$/,
  },
];
/** The helper of esbuild that keeps names, and the same for what can be constructed. */
const NAMES_ALL = 'var __name = (target, value) => __defProp(';
const NAMES_CLASSES = 'var __name = (target, value) => !target.prototype ? target : __defProp(';
/** Files of a package that its output does not depend on. */
const NO_SOURCE = /\.md$|^sbom\.cdx\.json$/;

const ALL = /./;
const TYPES = /\.d\.c?ts$/;

const SHARED = ['package-lock.json', 'tsconfig.json', 'scripts/build.mjs'];

export async function build(root = ROOT, say = (line) => process.stdout.write(`${line}\n`)) {
  const types = new Map();
  for (const part of PARTS) types.set(part.folder, buildPart(root, part, types, say));
  const results = await Promise.allSettled(types.values());
  // A part that needs a failed part has failed with the same reason, which we print once.
  const reasons = new Set(results.flatMap(({ reason }) => reason ?? []));
  if (reasons.size > 0) throw new Error([...reasons].map(({ message }) => message).join('\n'));
}

/** Resolves with the digest of what the part is for those that need it: its types, and where they are. */
async function buildPart(root, part, types, say) {
  const needed = await Promise.all(part.needs.map((folder) => types.get(folder)));
  const output = join(root, part.output ?? `${part.folder}/dist`);
  const stamps = join(root, 'node_modules/.cache/tillkit-build');
  const stamp = join(stamps, part.folder.replace('/', '-'));
  const stampOf = () => `${digestOfSources(root, part.folder, needed)} ${digestOf(output, ALL)}`;
  if (!existsSync(output) || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== stampOf()) {
    say(`Building ${part.folder}...`);
    // An interrupted build has no stamp, and is repeated.
    rmSync(stamp, { force: true });
    rmSync(output, { recursive: true, force: true });
    await compile(root, part.folder);
    if (part.assets) copyAssets(join(root, part.folder, 'src'), output, part.assets);
    if (part.bundle) bundle(output, part.bundle);
    mkdirSync(stamps, { recursive: true });
    writeFileSync(stamp, stampOf());
  }
  return digestOf(output, TYPES, manifestOf(root, part.folder));
}

function digestOfSources(root, folder, needed) {
  const own = readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && !NO_SOURCE.test(entry.name))
    .map(({ name }) => join(root, folder, name));
  const shared = SHARED.map((path) => join(root, path));
  const sources = filesOf(join(root, folder, 'src'));
  return digestOfFiles(root, [...shared, ...own, ...sources], JSON.stringify(needed));
}

function manifestOf(root, folder) {
  const path = join(root, folder, 'package.json');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function digestOf(output, names, first = '') {
  const paths = filesOf(output).filter((path) => names.test(path));
  return digestOfFiles(output, paths, first);
}

function digestOfFiles(folder, paths, first) {
  const hash = createHash('sha256').update(first);
  for (const path of paths.toSorted())
    hash
      .update(`${relative(folder, path)}\0`)
      .update(readFileSync(path))
      .update('\0');
  return hash.digest('hex');
}

async function compile(root, folder) {
  const project = folder.startsWith('libs/') ? 'tsconfig.lib.json' : 'tsconfig.app.json';
  const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc');
  const child = spawn(process.execPath, [compiler, '-p', join(root, folder, project)], {
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${folder} was not built.`);
}

function copyAssets(sources, output, assets) {
  for (const path of filesOf(sources))
    if (assets.test(path)) cpSync(path, join(output, relative(sources, path)));
}

/**
 * Joins modules; their source maps still lead to the sources. Classes keep their names, which errors and logs show. To name each arrow
 * function too would cost time wherever one is made.
 */
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
  for (const { path, text, contents } of outputFiles)
    writeFileSync(path, path.endsWith('.js') ? text.replace(NAMES_ALL, NAMES_CLASSES) : contents);
}

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await build();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
