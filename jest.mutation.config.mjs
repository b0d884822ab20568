/** What Stryker runs for each mutant: the tests of one area, without a database. See scripts/mutation.mjs. */
import base from './jest.config.mjs';

const { testSequencer, globalSetup, globalTeardown, ...config } = base;

/** @type {import('jest').Config} */
export default {
  ...config,
  testMatch: JSON.parse(process.env.TILLKIT_MUTATION_TESTS ?? '[]').map(
    (path) => `<rootDir>/${path}`,
  ),
  testRegex: undefined,
  maxWorkers: 1,
};
