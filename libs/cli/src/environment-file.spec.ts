import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { withEnvironmentFile } from './environment-file.js';

it('A command reads the .env file of its folder, and a variable that is set already takes precedence, as in the application', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillkit-cli-'));
  expect(withEnvironmentFile({ A: 'set' }, undefined, folder)).toEqual({ A: 'set' });
  writeFileSync(join(folder, '.env'), 'A=file\nB=file\n');
  expect(withEnvironmentFile({ A: 'set' }, undefined, folder)).toEqual({ A: 'set', B: 'file' });
  rmSync(folder, { recursive: true });
});

it('The variables of a file that is named replace those that are set, so that no exported database is changed instead', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillkit-cli-'));
  const file = join(folder, 'staging.env');
  writeFileSync(file, 'PAYMENTS_DATABASE_URL=staging\n');
  const set = { PAYMENTS_DATABASE_URL: 'production', A: 'set' };
  expect(withEnvironmentFile(set, file, folder)).toEqual({
    PAYMENTS_DATABASE_URL: 'staging',
    A: 'set',
  });
  rmSync(folder, { recursive: true });
});
