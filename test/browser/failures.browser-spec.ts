import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = ['--conditions=@tillkit/source', '--import=./test/support/typescript.register.mjs'];

it('A browser test that fails keeps its screenshot and its trace, and prints where they are', () => {
  const jest = ['node_modules/jest/bin/jest.js', '--config', 'jest.browser.config.mjs'];
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...SOURCES, ...jest, '--testRegex', 'files/fails\\.file\\.ts$'],
    { cwd: ROOT, encoding: 'utf8' },
  );
  const paths = [...`${stdout}${stderr}`.matchAll(/\S*dist\/browser-failures\/\S+/g)].map(String);
  expect(paths.map((path) => path.split('/').at(-1))).toEqual([
    'fails-on-purpose-1.png',
    'fails-on-purpose-1.zip',
  ]);
  for (const path of paths) expect(existsSync(path)).toBe(true);
});
