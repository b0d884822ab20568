import base from './jest.config.mjs';

/**
 * Jest's own runtime: each file of tests has a realm of its own, and evaluates every module afresh. It takes twice as long. It shows a test that
 * passes only because of the file before it, measures coverage, and watches.
 * @type {import('jest').Config}
 */
const { runtime, transform, ...config } = base;

export default {
  ...config,
  testEnvironment: 'node',
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: {
          target: 'es2023',
          keepClassNames: true,
          parser: { syntax: 'typescript', decorators: true },
          transform: {
            legacyDecorator: true,
            decoratorMetadata: true,
            useDefineForClassFields: true,
          },
        },
      },
    ],
  },
  // What `npm run test:cov` measures and enforces.
  collectCoverageFrom: ['libs/payments/src/**/*.ts', '!**/*.spec.ts'],
  coverageThreshold: { global: { lines: 95, branches: 95 } },
  coverageProvider: 'v8',
};
