import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

let coverage: string;
beforeEach(() => {
  coverage = mkdtempSync(join(tmpdir(), 'tillkit-coverage-'));
});
afterEach(() => rmSync(coverage, { recursive: true }));

// Otherwise each mutant that such a file runs counts as found, whatever it does.
it('Only a file of tests that passes as a whole without a mutant can find one', () => {
  const { status } = jest({ TILLKIT_MUTATION_COVERAGE: coverage });
  expect(status).toBe(1);
  const known = readdirSync(coverage).map((name) => readFileSync(join(coverage, name), 'utf8'));
  expect(known.map((text): unknown => JSON.parse(text))).toEqual([
    expect.objectContaining({ file: expect.stringMatching(/passes\.file\.ts$/), mutants: ['7'] }),
  ]);
});

it.each(['fails in a test', 'fails in a hook', 'does not load'])(
  'A mutant is found by a file that %s',
  (what) => {
    const file = `${what.replaceAll(' ', '-')}.file.ts`;
    expect(jest({ __STRYKER_ACTIVE_MUTANT__: '7' }, file).status).toBe(1);
  },
);

it('A mutant is not found by a file that passes', () => {
  expect(jest({ __STRYKER_ACTIVE_MUTANT__: '7' }, 'passes.file.ts').status).toBe(0);
});

function jest(environment: Record<string, string>, ...files: string[]) {
  return spawnSync(
    process.execPath,
    [
      '--experimental-vm-modules',
      'node_modules/jest/bin/jest.js',
      '--config=test/mutation/jest.config.mjs',
      '--silent',
      '--runInBand',
      ...files,
    ],
    { env: { ...process.env, ...environment }, encoding: 'utf8' },
  );
}
