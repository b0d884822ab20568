import base, { NO_TESTS } from './jest.config.mjs';
import { OPTIONS } from './scripts/typescript/transpile.mjs';

/**
 * Jest's own runtime: each file of tests has a realm of its own, and evaluates every module afresh. It takes twice as long. It shows a test that
 * passes only because of the file before it, measures coverage, and watches.
 * @type {import('jest').Config}
 */
const { runtime, transform, ...config } = base;

export default {
  ...config,
  testPathIgnorePatterns: NO_TESTS,
  testEnvironment: 'node',
  transform: {
    '^.+\\.ts$': ['@swc/jest', { swcrc: false, jsc: OPTIONS.jsc }],
  },
  // What `npm run test:cov` measures and enforces.
  collectCoverageFrom: ['libs/payments/src/**/*.ts', '!**/*.spec.ts'],
  coverageThreshold: { global: { lines: 95, branches: 95 } },
  coverageProvider: 'v8',
};
