import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { dataDirectory } from './data-directory.js';

describe('dataDirectory', () => {
  let home: string;
  let project: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'tillkit-home-'));
    project = join(home, 'project');
    mkdirSync(project);
  });

  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it('is the directory of SHOP_DATA', () => {
    expect(dataDirectory({ SHOP_DATA: 'here' }, project)).toBe(join(project, 'here'));
  });

  it('is in the project where PostgreSQL can reach it', () => {
    chmodSync(home, 0o755);
    expect(dataDirectory({}, project)).toBe(join(project, '.data/shop'));
  });

  it('is a constant directory under /var/tmp if only root may enter the project', () => {
    chmodSync(home, 0o700);
    const isRoot = process.getuid?.() === 0;
    const expected = isRoot ? /^\/var\/tmp\/tillkit-shop-[0-9a-f]{8}$/ : /\.data\/shop$/;
    expect(dataDirectory({}, project)).toMatch(expected);
    expect(dataDirectory({}, project)).toBe(dataDirectory({}, project));
  });
});
