import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import * as payments from '@tillkit/payments';
import { readPage } from './markdown.code.js';

const PAGE = readPage('docs/from-k2-connect-node.md');

type Service = Record<string, unknown>;
/** Its calls, as `Service.method`, and its version, from the functions of an instance of it. */
const CLIENT = JSON.parse(
  readFileSync(join(import.meta.dirname, 'k2-connect-node.json'), 'utf8'),
) as { version: string; calls: string[] };

const byName = (one = '', other = ''): number => one.localeCompare(other);

/** The cells of the table below "Change your calls". */
const ROWS = PAGE.split('## Change your calls')[1]!
  .split('\n## ')[0]!
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

describe('docs/from-k2-connect-node.md', () => {
  it('has one row for each call of the client', () => {
    const calls = ROWS.map(([, call]) => /^`(\w+\.\w+)\(/.exec(call!)?.[1]);
    expect(calls.length).toBeGreaterThan(15);
    expect(calls.toSorted(byName)).toEqual(CLIENT.calls.toSorted(byName));
  });

  it('is about the version with these calls', () => {
    expect(PAGE).toContain(`its version ${CLIENT.version.replace(/\.\d+$/, '')} with`);
  });

  it('replaces the calls by methods that exist', () => {
    const named = ROWS.flatMap(([, , , ours]) => [...ours!.matchAll(/\b(\w+Service)\.(\w+)\(/g)]);
    expect(named.length).toBeGreaterThan(10);
    for (const [, service, method] of named) {
      const { prototype } = Reflect.get(payments, service!) as { prototype: Service };
      expect([service, method, typeof prototype[method!]]).toEqual([service, method, 'function']);
    }
  });
});
