import { RUN_BUILT } from './test/support/stages.of.tests.mjs';

process.env.TEST_TARGET = 'dist';
const { default: base } = await import('./jest.config.mjs');

/** The files that a build can break. All files of end-to-end tests with TILLKIT_THOROUGH=1. @type {import('jest').Config} */
export default {
  ...base,
  ...(process.env.TILLKIT_THOROUGH !== '1' && {
    testRegex: RUN_BUILT,
  }),
};
