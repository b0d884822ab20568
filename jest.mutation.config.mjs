/** What the mutants of libs/payments meet: every test that runs its code, one file after another. See scripts/mutation.mjs. */
import { fileURLToPath } from 'node:url';
import base from './jest.isolated.config.mjs';

const support = (name) => fileURLToPath(new URL(`test/support/${name}`, import.meta.url));

/** @type {import('jest').Config} */
export default {
  ...base,
  roots: ['<rootDir>/libs', '<rootDir>/test/contracts', '<rootDir>/test/end-to-end'],
  testSequencer: support('given-order.sequencer.mjs'),
  testEnvironment: support('mutation.environment.mjs'),
};
