/** Runs the files beside it as `npm run test:mutation` runs tests. */
import { fileURLToPath } from 'node:url';
import base from '../../jest.mutation.config.mjs';

/** @type {import('jest').Config} */
export default {
  ...base,
  rootDir: fileURLToPath(new URL('../..', import.meta.url)),
  roots: ['<rootDir>/test/mutation/files'],
  testRegex: ['\\.file\\.ts$'],
  globalSetup: undefined,
  globalTeardown: undefined,
};
