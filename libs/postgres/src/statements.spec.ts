import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  freshDatabase,
  inSchema,
  type TestDatabase,
} from '../../../test/contracts/test-database.js';
import { FUNCTIONS } from './functions/function-set.js';
import * as generated from './generated/sql.js';

const STATEMENTS = Object.entries(generated).filter(
  ([name]) => !/^(migrations|functions)/.test(name),
);

let database: TestDatabase;
let client: pg.Client;
/** Names of the indexes and functions of the schema. */
let known: Set<string>;
beforeAll(async () => {
  database = await freshDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select indexname as name from pg_indexes where schemaname = 'tillkit'
     union select proname from pg_proc where pronamespace = 'tillkit'::regnamespace`,
  );
  known = new Set(rows.map(({ name }) => name.replace(/_[0-9a-f]{8}$/, '')));
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

describe.each(STATEMENTS)('%s', (_, statement) => {
  it('is one statement that PostgreSQL parses, with a type for each parameter', async () => {
    await client.query(`prepare statement as ${inSchema(statement)}`);
    await client.query('deallocate statement');
  });

  it('begins with a comment that names only indexes and functions of the schema', () => {
    const [comment = ''] = /^(-- .+\n)+/.exec(statement) ?? [];
    expect(comment).not.toBe('');
    for (const [name] of comment.matchAll(/[a-z]+(?:_[a-z]+)+/g)) expect(known).toContain(name);
  });
});

describe('a function that switches scans off', () => {
  // Before PostgreSQL 18, a plan without an alternative costs 10,000,000,000 more. Such an expensive plan is compiled at each call, which
  // takes 50 ms to read one row.
  it('forbids that its plans are compiled', () => {
    const switching = FUNCTIONS.filter((text) => text.includes('set enable_'));
    expect(switching.length).toBeGreaterThan(0);
    for (const text of switching) expect(text).toContain('set jit = off');
  });
});

describe('an insert that may find its row there', () => {
  // Without a target, a key may collide because its sequence is behind. Then the row is not written, and nobody sees it.
  it('names which columns may collide', () => {
    const sources = ['libs', 'sample-app'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(sql|ts)$/.test(name) && !/node_modules|(^|\/)dist\//.test(name))
        .map((name) => join(folder, name)),
    );
    expect(sources).toContain('libs/postgres/src/functions/set-pause.sql');
    const without = sources.filter((source) =>
      /\bon conflict\s+do\b/i.test(readFileSync(source, 'utf8')),
    );
    expect(without).toEqual([]);
  });
});
