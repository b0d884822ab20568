import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

interface Result {
  name: string;
  status: string;
  message: string;
  assertionResults: { status: string }[];
}

/** The files of tests in `files/`, each with its result. All ran in one process. */
let results: Map<string, Result>;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tillkit-runtime-'));
  const report = join(folder, 'report.json');
  spawnSync(
    process.execPath,
    [
      '--conditions=@tillkit/source',
      '--import=./test/support/typescript.register.mjs',
      'node_modules/jest/bin/jest.js',
      '--config=test/support/jest/files.config.mjs',
      '--runInBand',
      '--json',
      `--outputFile=${report}`,
    ],
    { encoding: 'utf8' },
  );
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as { testResults: Result[] };
  results = new Map(testResults.map((result) => [basename(result.name, '.file.ts'), result]));
});
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  ['fails', 'fails.file.ts:5:16'],
  ['rejects-unhandled', 'nobody waits for this'],
  ['throws-later', 'nobody catches this'],
  ['does-not-load', 'this file does not load'],
  ['has-no-test', 'must contain at least one test'],
])('A file of tests that shares its process with others has failed: %s', (name, message) => {
  expect(results.get(name)).toMatchObject({
    status: 'failed',
    message: expect.stringContaining(message),
  });
});

it('What a file of tests changes in its process is put back for the next file', () => {
  expect(results.get('changes-its-process')?.status).toBe('passed');
  expect(results.get('finds-its-process-as-it-was')).toMatchObject({
    status: 'passed',
    message: '',
  });
});
