/**
 * * Installs the packed packages into applications outside the repository, as a user would, and requests a payment: on
 * NestJS 12 (ESM) and on NestJS 11 (CommonJS). Usage: node test/packaging/consumers.mjs
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PACKAGES = ['payments', 'pages', 'simulator', 'postgres', 'dashboard'];

const CONSUMERS = [
  {
    name: 'NestJS 12, ESM',
    type: 'module',
    dependencies: {
      '@nestjs/axios': '^12.0.1',
      '@nestjs/common': '^12.5.1',
      '@nestjs/config': '^12.0.1',
      '@nestjs/core': '^12.5.1',
      '@nestjs/event-emitter': '^12.0.1',
      '@nestjs/platform-express': '^12.5.1',
      typescript: '~6.0.3',
    },
  },
  {
    name: 'NestJS 11, CommonJS',
    type: 'commonjs',
    dependencies: {
      '@nestjs/axios': '^4.0.1',
      '@nestjs/common': '^11.1.0',
      '@nestjs/config': '^4.0.2',
      '@nestjs/core': '^11.1.0',
      '@nestjs/event-emitter': '^3.0.1',
      '@nestjs/platform-express': '^11.1.0',
      typescript: '~5.9.0',
    },
  },
];

const SHARED = {
  '@types/node': '^20.19.0',
  '@types/pg': '^8.11.0',
  axios: '^1.21.1',
  'class-transformer': '^0.5.1',
  'class-validator': '^0.15.1',
  pg: '^8.23.1',
  'reflect-metadata': '^0.2.2',
  rxjs: '^7.8.2',
};

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2023',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    strict: true,
    skipLibCheck: false,
    types: ['node'],
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    outDir: 'dist',
    rootDir: 'src',
  },
  include: ['src'],
};

const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });

const work = mkdtempSync(join(tmpdir(), 'tillkit-consumers-'));
let failed = 0;
try {
  const tarballs = PACKAGES.map((name) => {
    const [{ filename }] = JSON.parse(
      run('npm', ['pack', '--json', '--pack-destination', work], join(ROOT, 'libs', name)),
    );
    return [`@tillkit/${name}`, `file:${join(work, filename)}`];
  });
  for (const { name, type, dependencies } of CONSUMERS) {
    const directory = join(work, type);
    mkdirSync(join(directory, 'src'), { recursive: true });
    cpSync(join(ROOT, 'test/packaging/consumer/main.ts'), join(directory, 'src/main.ts'));
    const manifest = {
      name: 'consumer',
      private: true,
      type,
      dependencies: { ...SHARED, ...dependencies, ...Object.fromEntries(tarballs) },
    };
    writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest, null, 2));
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(TSCONFIG, null, 2));
    try {
      run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], directory);
      run(process.execPath, ['node_modules/typescript/bin/tsc'], directory);
      console.log(`ok - ${name}: ${run(process.execPath, ['dist/main.js'], directory).trim()}`);
    } catch (error) {
      failed += 1;
      console.error(`not ok - ${name}: ${error.message}\n${error.stdout ?? ''}`);
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(`${CONSUMERS.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
