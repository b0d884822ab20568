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

let folder: string;

/** Runs the files of tests in a folder, as `npm test` does. */
function run(
  files: string,
  workers: string,
): { output: string; code: number | null; results: Map<string, Result> } {
  const report = join(folder, `${files}.json`);
  const { stderr, status } = spawnSync(
    process.execPath,
    [
      '--conditions=@tillkit/source',
      '--import=./test/support/typescript.register.mjs',
      'node_modules/jest/bin/jest.js',
      '--config=test/support/jest/files.config.mjs',
      workers,
      '--json',
      `--outputFile=${report}`,
    ],
    {
      encoding: 'utf8',
      env: { ...process.env, FILES_FOLDER: files, DIES_ONCE: join(folder, 'has-died') },
    },
  );
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as { testResults: Result[] };
  return {
    output: stderr,
    code: status,
    results: new Map(testResults.map((result) => [basename(result.name, '.file.ts'), result])),
  };
}

/** The files of tests in `files/`, each with its result. All ran in one process. */
let results: Map<string, Result>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tillkit-runtime-'));
  ({ results } = run('files', '--runInBand'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  ['a test fails', 'fails', 'fails.file.ts:5:16'],
  ['a rejection is unhandled', 'rejects-unhandled', 'nobody waits for this'],
  ['an error is thrown after its test', 'throws-later', 'nobody catches this'],
  ['it does not load', 'does-not-load', 'this file does not load'],
  ['it has no test', 'has-no-test', 'must contain at least one test'],
  [
    'a name is too long',
    'has-bad-names',
    'has more than 220 characters: "This test has the value xxx',
  ],
  ['a name has a line break', 'has-bad-names', 'has a line break: "This test has the value a\\nb"'],
  ['two names are equal', 'has-bad-names', 'is there more than once: "This test has the value c"'],
])('A file of tests that shares its process with others has failed when %s', (_, name, message) => {
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

it('A run has failed when a worker dies between two files of tests', () => {
  const { code, output } = run('throwing-files', '--maxWorkers=2');
  expect(code).toBe(1);
  expect(output).toContain('nobody is there any more');
});

it('A file of tests has failed whose process has died, although it passes at the second try', () => {
  const dying = run('dying-files', '--maxWorkers=2');
  expect(dying.results.get('dies-once')).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('has died at the first try'),
  });
});
