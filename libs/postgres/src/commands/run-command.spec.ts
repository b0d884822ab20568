import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emptyDatabase, type TestDatabase } from '../../../../test/contracts/test-database.js';
import { runCommand } from './run-command.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await emptyDatabase();
}, 60_000);
afterAll(() => database.drop());

async function run(...args: string[]): Promise<{ code: number; out: string; complaint: string }> {
  let out = '';
  let complaint = '';
  const code = await runCommand(
    args,
    { write: (text) => (out += text), environment: { PAYMENTS_DATABASE_URL: database.url } },
    (text) => (complaint += text),
  );
  return { code, out, complaint };
}

describe('npx @tillkit/postgres migrate', () => {
  it('prints the migrations with --print, and runs none', async () => {
    const { code, out } = await run('migrate', '--print', '--schema', 'shop');
    expect(code).toBe(0);
    expect(out).toMatch(/^begin;/);
    expect(out).toContain('create table "shop".operation');
    expect(out).not.toContain(':schema');
    expect(out).toMatch(/commit;\n$/);
  });

  it('brings the schema up to date, and says when it was up to date already', async () => {
    expect(await run('migrate')).toMatchObject({
      code: 0,
      out: expect.stringContaining('applied 000001'),
    });
    expect(await run('migrate')).toMatchObject({
      code: 0,
      out: expect.stringContaining('is up to date'),
    });
    const other = await run('migrate', '--url', database.url, '--schema', 'other');
    expect(other).toMatchObject({ code: 0, out: expect.stringContaining('"other"') });
  });

  it('prints what is wrong, without a password', async () => {
    const away = await run('migrate', '--url', 'postgres://tillkit:very-secret@127.0.0.1:1/shop');
    expect(away.code).toBe(1);
    expect(away.complaint).toMatch(/ECONNREFUSED/);
    expect(away.complaint).not.toMatch(/very-secret/);
    expect(await run('migrate', '--schema', 'No Such')).toMatchObject({
      code: 2,
      complaint: expect.stringContaining('schema'),
    });
    expect(await run('migrate', '--prnt')).toMatchObject({
      code: 2,
      complaint: expect.stringContaining('--prnt'),
    });
  });
});

describe('npx @tillkit/postgres', () => {
  it('lists its commands', async () => {
    expect(await run('--help')).toMatchObject({ code: 0, out: expect.stringContaining('migrate') });
    expect(await run('reconcile', '--help')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/--account <name>[^]*--source <module>[^]*Exit codes: 0/),
    });
    expect(await run('migrate', '--help')).toMatchObject({
      code: 0,
      out: expect.stringContaining('--print'),
    });
    expect(await run()).toMatchObject({
      code: 2,
      complaint: expect.stringContaining('No command'),
    });
    expect(await run('fly')).toMatchObject({
      code: 2,
      complaint: expect.stringContaining("'fly'"),
    });
  });
});
