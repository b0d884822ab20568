/**
 * Installs the packed packages into applications outside the repository, as a user would: NestJS 12 (ESM) and NestJS 11
 * (CommonJS). Each runs the code of the README, and the tests and the settings of docs/testing.md. Before that, every package that npm chooses must
 * accept the Node that we promise.
 * Usage: node test/packaging/consumers.mjs
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checkEngines } from './engines.mjs';
import { blockBelow } from './page.blocks.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PACKAGES = ['payments', 'pages', 'simulator', 'postgres', 'dashboard', 'cli'];

const PAGE = 'docs/testing.md';
const VITEST = blockBelow(PAGE, '## Vitest', 'js');

/** Beside these, the set-up of each program and check: what a new project of that kind has. */
const TSCONFIG = {
  target: 'ES2023',
  module: 'nodenext',
  strict: true,
  skipLibCheck: false,
  types: ['node'],
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  esModuleInterop: true,
  rootDir: 'src',
};
const BUNDLER = { module: 'esnext', moduleResolution: 'bundler' };

/** A project has these packages before it installs ours; npm brings what ours need. `programs` are compiled and run, `types` are only compiled. */
const CONSUMERS = [
  {
    name: 'NestJS 12, ESM',
    type: 'module',
    dependencies: {
      '@nestjs/common': '^12.5.1',
      '@nestjs/core': '^12.5.1',
      '@nestjs/platform-express': '^12.5.1',
      '@nestjs/terminus': '^12.1.0',
      '@nestjs/testing': '^12.1.1',
      '@swc/jest': '^0.2.39',
      typescript: '~6.0.3',
    },
    programs: { nodenext: {} },
    types: { node16: { module: 'node16' }, bundler: BUNDLER },
    jest: blockBelow(PAGE, '## Jest in an ES module project', 'json'),
    nodeOptions: '--experimental-vm-modules',
  },
  {
    name: 'NestJS 11, CommonJS',
    type: 'commonjs',
    dependencies: {
      '@nestjs/common': '^11.1.0',
      '@nestjs/core': '^11.1.0',
      '@nestjs/platform-express': '^11.1.0',
      '@nestjs/terminus': '^11.0.0',
      '@nestjs/testing': '^11.1.0',
      'ts-jest': '^29.4.0',
      typescript: '~5.9.0',
    },
    programs: {
      nodenext: {},
      node10: { module: 'commonjs', moduleResolution: 'node10', skipLibCheck: true },
    },
    types: { bundler: BUNDLER },
    jest: blockBelow(PAGE, '## Jest in a CommonJS project', 'json'),
    nodeOptions: '',
  },
];

const SHARED = {
  '@swc/core': '^1.15.0',
  '@types/node': '^20.19.0',
  '@types/jest': '^30.0.0',
  '@types/pg': '^8.15.0',
  jest: '^30.5.0',
  joi: '^18.0.0',
  'reflect-metadata': '^0.2.2',
  rxjs: '^7.8.2',
  tsx: '^4.20.0',
  'unplugin-swc': '^1.5.0',
  vitest: '^4.0.0',
};

/** A command that hangs fails, and so does a test: Jest and Vitest allow seconds, which is too little on a busy machine. */
const DEADLINE_MS = 900_000;

const execute = promisify(execFile);
const executeIn = (command, args, cwd, environment = {}) =>
  execute(command, args, { cwd, env: { ...process.env, ...environment }, timeout: DEADLINE_MS });
const run = async (...call) => (await executeIn(...call)).stdout.trim();
const runAll = async (...call) => Object.values(await executeIn(...call)).join('\n');

const work = mkdtempSync(join(tmpdir(), 'tillkit-consumers-'));
let [passed, failed] = [0, 0];
try {
  const tarballs = Object.fromEntries(await Promise.all(PACKAGES.map(pack)));
  await checkEngines({ tarballs, work, check, run: runAll });
  await Promise.all(CONSUMERS.map((consumer) => consume(consumer, tarballs)));
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

async function pack(name) {
  const args = ['pack', '--json', '--pack-destination', work];
  const [{ filename }] = JSON.parse(await run('npm', args, join(ROOT, 'libs', name)));
  return [`@tillkit/${name}`, `file:${join(work, filename)}`];
}

async function consume(consumer, tarballs) {
  const { name, type, dependencies, programs, types, jest, nodeOptions } = consumer;
  const directory = join(work, type);
  const write = (path, text) => writeFileSync(join(directory, path), text);
  const node = (args, environment) => run(process.execPath, args, directory, environment);
  const compile = async (setup, options) => {
    const compilerOptions = { ...TSCONFIG, ...options };
    write(
      `tsconfig.${setup}.json`,
      JSON.stringify({ compilerOptions, files: ['src/main.ts', 'src/schema.ts'] }),
    );
    await node(['node_modules/typescript/bin/tsc', '-p', `tsconfig.${setup}.json`]);
  };

  mkdirSync(join(directory, 'src'), { recursive: true });
  cpSync(join(ROOT, 'test/packaging/consumer'), join(directory, 'src'), { recursive: true });
  write('src/shop.ts', blockBelow('README.md', '# Tillkit', 'ts'));
  write('.env', blockBelow('README.md', '## Five minutes to a payment in your own app', 'ini'));
  write('path.env', 'PAYMENTS_PATH=mobile/money\n');
  write('src/checkout.spec.ts', blockBelow(PAGE, '## A complete example', 'ts'));
  write('jest.config.json', jest);
  write('vitest.config.mjs', VITEST);
  write(
    'tsconfig.json',
    JSON.stringify({ compilerOptions: { ...TSCONFIG, isolatedModules: true } }),
  );
  write(
    'package.json',
    JSON.stringify({ type, dependencies: { ...SHARED, ...dependencies, ...tarballs } }),
  );
  const isInstalled = await check(`${name}: install`, () =>
    run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], directory),
  );
  if (!isInstalled) return;
  for (const [setup, options] of Object.entries(programs)) {
    await check(`${name}: the code of the README, compiled with ${setup}`, async () => {
      await compile(setup, { ...options, outDir: setup });
      return node([`${setup}/main.js`]);
    });
    await check(`${name}: a path in a file that a schema checks, compiled with ${setup}`, () =>
      node([`${setup}/schema.js`]),
    );
  }
  await check(`${name}: tsx, which leaves out decorator metadata, is refused by name`, async () => {
    const failed = await node(['--import', 'tsx', 'src/start.ts']).catch((error) => error);
    if (!/the class Orders has listeners, .*tsx.*@Inject\(PaymentsService\)/.test(failed.stderr))
      throw new Error(`the application printed: ${failed.stderr ?? failed}`);
  });
  for (const [setup, options] of Object.entries(types)) {
    await check(`${name}: types with ${setup}`, () => compile(setup, { ...options, noEmit: true }));
  }
  await check(`${name}: Jest`, () =>
    node(['node_modules/jest/bin/jest.js', `--testTimeout=${DEADLINE_MS}`], {
      NODE_OPTIONS: nodeOptions,
    }),
  );
  await check(`${name}: the tillkit command`, () =>
    run('npx', ['--no-install', 'tillkit', 'migrate', '--print'], directory),
  );
  await check(`${name}: Vitest`, () =>
    node([
      'node_modules/vitest/vitest.mjs',
      'run',
      `--testTimeout=${DEADLINE_MS}`,
      `--hookTimeout=${DEADLINE_MS}`,
    ]),
  );
}

async function check(what, doIt) {
  try {
    const output = (await doIt()) ?? '';
    passed += 1;
    console.log(`ok - ${what}${output.startsWith('sent') ? `: ${output}` : ''}`);
    return true;
  } catch (error) {
    failed += 1;
    console.error(`not ok - ${what}: ${error.message}\n${error.stdout ?? ''}`);
    return false;
  }
}
