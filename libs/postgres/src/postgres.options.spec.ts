import { describe, expect, it } from '@jest/globals';
import { resolvePostgresOptions } from './postgres.options.js';

const url = 'postgres://tillkit:secret@localhost/shop';

describe('options of the store', () => {
  it('read the database from PAYMENTS_DATABASE_URL', () => {
    const resolved = resolvePostgresOptions({}, { PAYMENTS_DATABASE_URL: url });
    expect(resolved).toMatchObject({ connectionString: url, schema: 'tillkit', poolSize: 10 });
  });

  it('cause an error that says what to set when there is no database', () => {
    expect(() => resolvePostgresOptions({}, {})).toThrow(/set PAYMENTS_DATABASE_URL/);
  });

  it.each(['', 'Tillkit', '1st', 'a b', 'a"; drop table x; --', 'pg_own', 'x'.repeat(64)])(
    'refuse %j as a schema',
    (schema) => {
      expect(() => resolvePostgresOptions({ schema, connectionString: url })).toThrow(/schema/);
    },
  );

  it.each([{ poolSize: 0 }, { statementTimeoutMs: 1.5 }, { batch: { maxRows: -1 } }])(
    'refuse %j',
    (options) => {
      expect(() => resolvePostgresOptions({ connectionString: url, ...options })).toThrow(
        /whole number above 0/,
      );
    },
  );
});
