import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const { changeSince } = (await import(new URL('mutation.change.mjs', import.meta.url).href)) as {
  changeSince(
    commit: string | undefined,
    root: string,
  ): {
    lines: Map<string, Set<number> | null>;
    notMutated: string[];
    uncommitted: string[];
  };
};

const LEDGER = 'libs/payments/src/ledger/ledger.ts';

let root: string;
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@shop.example', ...args], {
    cwd: root,
    stdio: 'ignore',
  });
const write = (file: string, ...lines: string[]): void => {
  mkdirSync(join(root, dirname(file)), { recursive: true });
  writeFileSync(join(root, file), `${lines.join('\n')}\n`);
};
const commit = (): void => {
  git('add', '.');
  git('commit', '-qm', 'a change');
};
const lines = (since?: string) =>
  Object.fromEntries(
    [...changeSince(since, root).lines].map(([file, changed]) => [file, changed && [...changed]]),
  );

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tillkit-change-'));
  git('init', '-qb', 'main');
  write(LEDGER, 'one', 'two', 'three');
  commit();
});
afterEach(() => rmSync(root, { recursive: true }));

describe('The change that is mutated', () => {
  it('on a branch is all that was changed since it left main, also what is not committed', () => {
    git('checkout', '-qb', 'branch');
    write(LEDGER, 'one', 'TWO', 'three');
    commit();
    write(LEDGER, 'one', 'TWO', 'THREE');
    expect(lines()).toEqual({ [LEDGER]: [2, 3] });
  });

  it('on main is what is not committed', () => {
    write(LEDGER, 'ONE', 'two', 'three');
    commit();
    write(LEDGER, 'ONE', 'two', 'THREE');
    expect(lines()).toEqual({ [LEDGER]: [3] });
  });

  it('on main is the last commit when everything is committed', () => {
    write(LEDGER, 'ONE', 'two', 'three');
    commit();
    expect(lines()).toEqual({ [LEDGER]: [1] });
  });

  it('since a commit has nothing that others changed after it', () => {
    git('branch', 'other');
    write(LEDGER, 'ONE', 'two', 'three');
    commit();
    git('checkout', '-q', 'other');
    write('libs/payments/src/other.ts', 'one');
    commit();
    expect(lines('main')).toEqual({ 'libs/payments/src/other.ts': [1] });
  });

  it('has every line of a new file that git does not know', () => {
    write('libs/payments/src/new.ts', 'one');
    expect(lines()).toEqual({ 'libs/payments/src/new.ts': null });
  });

  it('has no specs, nothing that was only deleted, and names the changed sources that are not mutated', () => {
    write(LEDGER, 'one', 'three');
    write('libs/payments/src/ledger/ledger.spec.ts', 'one');
    write('libs/postgres/src/find.sql', 'one');
    const { lines, notMutated, uncommitted } = changeSince(undefined, root);
    expect([...lines]).toEqual([]);
    expect(notMutated).toEqual(['libs/postgres/src/find.sql']);
    expect(uncommitted).toHaveLength(3);
  });
});
