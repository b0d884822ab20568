import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import * as payments from '@tillkit/payments';
import { readPage } from './markdown.code.js';

const require = createRequire(import.meta.url);
const PAGE = readPage('docs/from-k2-connect-node.md');

type Service = Record<string, unknown>;
type Client = Record<string, Service>;

/** Every call of the official client, as `Service.method`. It sends nothing before one is called. */
function callsOfClient(): string[] {
  const create = require('k2-connect-node') as (options: Record<string, string>) => Client;
  const client = create({
    clientId: 'id',
    clientSecret: 'secret',
    apiKey: 'key',
    baseUrl: 'http://127.0.0.1:9',
  });
  return Object.entries(client).flatMap(([service, methods]) =>
    Object.entries(methods)
      .filter(([, method]) => typeof method === 'function')
      .map(([name]) => `${service}.${name}`),
  );
}

const byName = (one = '', other = ''): number => one.localeCompare(other);

/** The cells of the table below "Change your calls". */
const ROWS = PAGE.split('## Change your calls')[1]!
  .split('\n## ')[0]!
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

describe('docs/from-k2-connect-node.md', () => {
  it('has one row for each call of the installed client', () => {
    const calls = ROWS.map(([, call]) => /^`(\w+\.\w+)\(/.exec(call!)?.[1]);
    expect(calls.length).toBeGreaterThan(15);
    expect(calls.toSorted(byName)).toEqual(callsOfClient().toSorted(byName));
  });

  it('is about the version that is installed', () => {
    const { version } = require('k2-connect-node/package.json') as { version: string };
    expect(PAGE).toContain(`its version ${version.replace(/\.\d+$/, '')} with`);
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
