import base from './jest.config.mjs';

// The browser needs no database, and two of it are enough for two cores.
const { globalSetup, globalTeardown, ...config } = base;

/** @type {import('jest').Config} */
export default {
  ...config,
  roots: ['<rootDir>/test/browser'],
  testRegex: '\\.browser-spec\\.ts$',
  maxWorkers: 2,
  testTimeout: 30_000,
};
