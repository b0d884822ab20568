/**
 * Bundles the application of a user with each tool of docs/bundling.md, by the commands of that page, and runs the result where no packages are. Runs it on
 * Bun and Deno too. Usage: node test/packaging/bundles.mjs
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { blockBelow } from './page.blocks.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PACKAGES = ['payments', 'pages', 'simulator', 'postgres', 'dashboard'];
const PAGE = 'docs/bundling.md';

const DEPENDENCIES = {
  '@nestjs/common': '^12.5.1',
  '@nestjs/core': '^12.5.1',
  '@nestjs/platform-express': '^12.5.1',
  '@nestjs/terminus': '^12.1.0',
  '@types/node': '^20.19.0',
  '@types/pg': '^8.15.0',
  '@vercel/ncc': '~0.45.0',
  bun: '~1.4.0',
  deno: '~2.9.0',
  esbuild: '~0.28.0',
  postject: '~1.0.0-alpha.6',
  'reflect-metadata': '^0.2.2',
  rolldown: '~1.3.0',
  rxjs: '^7.8.2',
  typescript: '~6.0.3',
};

const COMPILER_OPTIONS = {
  target: 'ES2023',
  module: 'nodenext',
  strict: true,
  skipLibCheck: true,
  types: ['node'],
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  esModuleInterop: true,
  rootDir: 'src',
  outDir: 'dist',
};

/** The heading of the commands, and how to run what they make; without a command of its own, the commands run it. */
const TOOLS = [
  { heading: '## esbuild', start: ['node', 'main.cjs'] },
  { heading: '## One executable', start: ['./app'] },
  { heading: '## Rolldown', start: ['node', 'main.mjs'] },
  { heading: '## ncc', start: ['node', 'index.js'] },
  { heading: '## Bun', start: ['node', 'main.mjs'] },
  { heading: '## Deno' },
];

const DEADLINE_MS = 300_000;

const work = mkdtempSync(join(tmpdir(), 'tillkit-bundles-'));
const app = join(work, 'app');
const run = (program, args, cwd = app) =>
  execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    timeout: DEADLINE_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
  });

let [passed, failed] = [0, 0];
try {
  install();
  for (const { heading, start } of TOOLS) check(heading, () => bundled(heading, start));
  check('Bun, without a bundle', () => run('npx', ['bun', 'dist/main.js']));
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

function install() {
  mkdirSync(join(app, 'src'), { recursive: true });
  for (const name of PACKAGES)
    run('npm', ['pack', '--silent', '--pack-destination', work], join(ROOT, 'libs', name));
  const tarballs = readdirSync(work).filter((file) => file.endsWith('.tgz'));
  const ours = tarballs.map((file) => [
    file.replace(/^tillkit-(\w+)-.*$/, '@tillkit/$1'),
    `file:${join(work, file)}`,
  ]);
  const dependencies = { ...DEPENDENCIES, ...Object.fromEntries(ours) };
  cpSync(join(ROOT, 'test/packaging/consumer'), join(app, 'src'), { recursive: true });
  const write = (path, text) => writeFileSync(join(app, path), text);
  write('src/shop.ts', blockBelow('README.md', '# Tillkit', 'ts'));
  write('.env', blockBelow('README.md', '## Five minutes to a payment in your own app', 'ini'));
  write('package.json', JSON.stringify({ type: 'module', dependencies }));
  write(
    'tsconfig.json',
    JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['src/main.ts'] }),
  );
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error']);
  run('npx', ['tsc', '-p', 'tsconfig.json']);
}

function bundled(heading, start) {
  const output = run('bash', ['-euc', blockBelow(PAGE, heading, 'sh')]);
  if (!start) return output;
  const alone = mkdtempSync(join(tmpdir(), 'tillkit-bundled-'));
  try {
    cpSync(join(app, 'bundle'), alone, { recursive: true });
    cpSync(join(app, '.env'), join(alone, '.env'));
    return run(start[0], start.slice(1), alone);
  } finally {
    rmSync(alone, { recursive: true, force: true });
  }
}

/** The application prints `sent`, and what its listener got. */
function check(what, work) {
  try {
    const output = work();
    if (!/^sent: .*is paid/m.test(output)) throw new Error(`it printed ${output}`);
    passed += 1;
    console.log(`ok - ${what.replace('## ', '')}`);
  } catch (error) {
    failed += 1;
    console.error(`not ok - ${what}: ${error.message}\n${error.stderr ?? ''}`);
  }
}
