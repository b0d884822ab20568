import base from './jest.config.mjs';

/** @type {import('jest').Config} */
export default {
  ...base,
  roots: ['<rootDir>/test/browser'],
  testRegex: '\\.browser-spec\\.ts$',
  testEnvironment: '<rootDir>/test/browser/failure.environment.mjs',
  // Two browsers are enough for two cores.
  maxWorkers: 2,
};
