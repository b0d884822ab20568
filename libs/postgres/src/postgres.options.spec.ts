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

  it('cause an error that says which variable may be misspelt when there is no database', () => {
    expect(() =>
      resolvePostgresOptions({}, { PAYMENTS_DATABSE_URL: url, PAYMENTS_TIL: '1' }),
    ).toThrow(
      /has no database[^]*\n  - PAYMENTS_DATABSE_URL is not read: did you mean PAYMENTS_DATABASE_URL\?$/,
    );
  });

  it.each([
    'postgres://tillkit@localhost/shop',
    'postgresql://tillkit:p%40ss@[::1]:5432/shop?sslmode=disable',
    'postgres://tillkit@/shop?host=/var/run/postgresql',
    'postgres://tillkit@localhost/shop?port=65535',
    'socket:/var/run/postgresql?db=shop',
    '/var/run/postgresql shop',
  ])('accept %s as the database', (connectionString) => {
    expect(resolvePostgresOptions({ connectionString })).toMatchObject({ connectionString });
  });

  it.each([
    ['postgres://tillkit:secret@host:99999x/shop', /it is no URL/],
    ['postgres://tillkit:se#cret@host/shop', /it is no URL.*%23 for #/],
    ['mysql://tillkit:secret@host/shop', /does not begin with postgres/],
    ['localhost:5432/shop', /does not begin with postgres/],
    [
      'postgres://tillkit:secret@host/shop?sslrootcert=/no/such',
      /\/no\/such cannot be read \(ENOENT/,
    ],
    ['"postgres://tillkit:secret@host/shop"', /it has quotes around it, .*: remove the quotes/],
    ['postgres://tillkit:${SECRET}@host/shop', /it has a \$\{\.\.\.\} that nothing has replaced/],
    ['postgres://tillkit:secret@host/shop?port=x', /its port, or PGPORT, is no number from 1/],
    ['postgres://tillkit:secret@host/shop?port=65536', /its port, or PGPORT, is no number from 1/],
    ['postgres://tillkit:secret@host/shop?port=-1', /its port, or PGPORT, is no number from 1/],
  ])('refuse %s as the database, and repeat no password', (connectionString, why) => {
    const refused = () => resolvePostgresOptions({}, { PAYMENTS_DATABASE_URL: connectionString });
    expect(refused).toThrow(why);
    expect(refused).toThrow(/PAYMENTS_DATABASE_URL.*Write postgres:\/\//);
    expect(refused).not.toThrow(/cret/i);
  });

  it('refuse a replica whose URL has quotes', () => {
    const refused = (): unknown =>
      resolvePostgresOptions(
        { connectionString: url },
        { PAYMENTS_DATABASE_READ_URL: "'postgres://tillkit@replica/shop'" },
      );
    expect(refused).toThrow(/PAYMENTS_DATABASE_READ_URL.* cannot be used: it has quotes around it/);
  });

  it.each([
    ['no character', ''],
    ['a capital letter', 'Tillkit'],
    ['a digit at its beginning', '1st'],
    ['a blank', 'a b'],
    ['a quote', 'a"; drop table x; --'],
    ['the prefix of PostgreSQL', 'pg_own'],
    ['64 characters', 'x'.repeat(64)],
  ])('refuse a schema with %s', (_, schema) => {
    expect(() => resolvePostgresOptions({ schema, connectionString: url })).toThrow(/schema/);
  });

  it.each([
    ['a pool of no connections', { poolSize: 0 }],
    ['a timeout that is no whole number', { statementTimeoutMs: 1.5 }],
  ])('refuse %s', (_, options) => {
    expect(() => resolvePostgresOptions({ connectionString: url, ...options })).toThrow(
      /whole number above 0/,
    );
  });

  it('refuse an option that there is not, with its name', () => {
    const options = { connectionString: url, batch: { maxRows: 1 } };
    expect(() => resolvePostgresOptions(options)).toThrow(
      '`batch` is no option of PostgresStore: remove it.',
    );
  });
});
