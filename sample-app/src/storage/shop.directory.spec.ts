import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { shopDirectory } from './shop.directory.js';

describe("the shop's directory", () => {
  let home: string;
  let project: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'tillkit-home-'));
    project = join(home, 'project');
    mkdirSync(project);
  });

  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it('is the one that is asked for', () => {
    expect(shopDirectory({ SHOP_DATA: 'here' }, project)).toBe(join(project, 'here'));
  });

  it('is beside the project where PostgreSQL can reach it', () => {
    chmodSync(home, 0o755);
    expect(shopDirectory({}, project)).toBe(join(project, '.data/shop'));
  });

  it('is elsewhere where only root may enter, and the same the next time', () => {
    chmodSync(home, 0o700);
    const isRoot = process.getuid?.() === 0;
    const expected = isRoot ? /^\/var\/tmp\/tillkit-shop-[0-9a-f]{8}$/ : /\.data\/shop$/;
    expect(shopDirectory({}, project)).toMatch(expected);
    expect(shopDirectory({}, project)).toBe(shopDirectory({}, project));
  });
});
