import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { withEnvironmentFile } from './environment.file.js';

it('A command reads the .env of its folder, where a variable that is set already counts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillkit-cli-'));
  expect(withEnvironmentFile({ A: 'set' }, undefined, folder)).toEqual({ A: 'set' });
  writeFileSync(join(folder, '.env'), 'A=file\nB=file\n');
  writeFileSync(join(folder, 'other.env'), 'C=other\n');
  expect(withEnvironmentFile({ A: 'set' }, undefined, folder)).toEqual({ A: 'set', B: 'file' });
  expect(withEnvironmentFile({}, join(folder, 'other.env'), folder)).toEqual({ C: 'other' });
  rmSync(folder, { recursive: true });
});
