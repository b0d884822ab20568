/** Runs the files in a folder, in the order of their names, as `npm test` runs specs. */
import { fileURLToPath } from 'node:url';
import base from '../../../jest.config.mjs';

/** @type {import('jest').Config} */
export default {
  ...base,
  rootDir: fileURLToPath(new URL('../../..', import.meta.url)),
  roots: [`<rootDir>/test/support/jest/${process.env.FILES_FOLDER}`],
  testRegex: ['\\.file\\.ts$'],
  testSequencer: '<rootDir>/test/support/jest/by-name.sequencer.cjs',
};
