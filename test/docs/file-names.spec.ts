import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const SOURCE =
  /^(libs\/[^/]+|sample-app)\/src\/(?!.*\/?(testing|generated)\/).*?([^/]+)(?<!\.spec|\.d)\.ts$/;

const table = /^\| role .*\n(?:\|.*\n)+/m.exec(
  readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8'),
)?.[0];
const roles = [...(table ?? '').matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`([a-z-]+)`/g)].map(([, role]) => role),
);
const names = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .flatMap((file) => SOURCE.exec(file)?.[3] ?? []);

describe('Names of source files', () => {
  it('have at most one role, which stands in the table of CONTRIBUTING.md', () => {
    const wrong = names.filter((name) => {
      const [, role, ...more] = name.split('.');
      return more.length > 0 || (role !== undefined && !roles.includes(role));
    });
    expect(wrong).toEqual([]);
    expect(names.length).toBeGreaterThan(500);
  });

  it('use each role of that table', () => {
    expect(roles.filter((role) => !names.some((name) => name.endsWith(`.${role}`)))).toEqual([]);
  });
});
