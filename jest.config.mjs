import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

const useDist = process.env.TEST_TARGET === 'dist';

/** @type {import('jest').Config} */
export default {
  rootDir: fileURLToPath(new URL('.', import.meta.url)),
  roots: ['<rootDir>/libs', '<rootDir>/sample-app', '<rootDir>/scripts', '<rootDir>/test'],
  // Specs beside the source always test the source; only the end-to-end tests can run on the built packages.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/packaging/consumer/'],
  testRegex: useDist ? '\\.e2e-spec\\.ts$' : '\\.(spec|e2e-spec)\\.ts$',
  modulePathIgnorePatterns: ['<rootDir>/dist/', ...(useDist ? [] : ['<rootDir>/libs/[^/]+/dist/'])],
  globalSetup: '<rootDir>/test/support/global.setup.mjs',
  globalTeardown: '<rootDir>/test/support/global.teardown.mjs',
  testSequencer: '<rootDir>/test/support/longest-first.sequencer.mjs',
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['js', 'ts', 'mjs', 'cjs', 'json', 'node'],
  resolver: '<rootDir>/jest.resolver.cjs',
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: {
          target: 'es2023',
          keepClassNames: true,
          parser: { syntax: 'typescript', decorators: true },
          transform: {
            legacyDecorator: true,
            decoratorMetadata: true,
            useDefineForClassFields: true,
          },
        },
      },
    ],
  },
  // What `npm run test:cov` measures and enforces.
  collectCoverageFrom: ['libs/payments/src/**/*.ts', '!**/*.spec.ts'],
  coverageThreshold: { global: { lines: 95, branches: 95 } },
  // A busy machine is slow, not wrong: no test says how long anything may take.
  testTimeout: 30_000,
  coverageProvider: 'v8',
  // Some tests wait more than they work.
  maxWorkers: cpus().length + 2,
  workerIdleMemoryLimit: '1GB',
};
