import base from './jest.config.mjs';

// The browser needs no database, and one of it at a time is enough for two cores.
const { globalSetup, globalTeardown, ...config } = base;

/** @type {import('jest').Config} */
export default {
  ...config,
  roots: ['<rootDir>/test/browser'],
  testRegex: '\\.browser-spec\\.ts$',
  maxWorkers: 1,
  testTimeout: 30_000,
};
