import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { RUN_ELSEWHERE } from './test/support/stages.of.tests.mjs';

const useDist = process.env.TEST_TARGET === 'dist';
/** Who names files on the command line wants these, whatever stage of the gate runs them. */
const runsAll =
  process.env.TILLKIT_THOROUGH === '1' ||
  process.argv.slice(2).some((argument) => !argument.startsWith('-'));

/** These are no files of tests, whatever is run. */
export const NO_TESTS = ['/node_modules/', '<rootDir>/test/packaging/consumer/'];

/**
 * Files of tests run in the worker's own realm and share its modules: see test/support/jest/shared.runtime.cjs.
 * @type {import('jest').Config}
 */
export default {
  rootDir: fileURLToPath(new URL('.', import.meta.url)),
  roots: ['<rootDir>/libs', '<rootDir>/sample-app', '<rootDir>/scripts', '<rootDir>/test'],
  // Specs beside the source always test the source; only the end-to-end tests can run on the built packages.
  testPathIgnorePatterns: [...NO_TESTS, ...(runsAll || useDist ? [] : RUN_ELSEWHERE)],
  testRegex: useDist ? '\\.e2e-spec\\.ts$' : '\\.(spec|e2e-spec)\\.ts$',
  modulePathIgnorePatterns: ['<rootDir>/dist/', ...(useDist ? [] : ['<rootDir>/libs/[^/]+/dist/'])],
  globalSetup: '<rootDir>/test/support/global.setup.mjs',
  globalTeardown: '<rootDir>/test/support/global.teardown.mjs',
  setupFiles: ['<rootDir>/test/support/jest/quiet.mjs'],
  testSequencer: '<rootDir>/test/support/longest-first.sequencer.mjs',
  testEnvironment: '<rootDir>/test/support/jest/shared.environment.cjs',
  runtime: '<rootDir>/test/support/jest/shared.runtime.cjs',
  resolver: '<rootDir>/jest.resolver.cjs',
  transform: {},
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['js', 'ts', 'mjs', 'cjs', 'json', 'node'],
  watchman: false,
  // For what hangs. A busy machine is slow, not wrong: no test says how long anything may take.
  testTimeout: 300_000,
  // Some tests wait more than they work.
  maxWorkers: cpus().length + 3,
  workerIdleMemoryLimit: '1500MB',
};
