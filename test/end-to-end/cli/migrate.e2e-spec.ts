import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emptyDatabase, type TestDatabase } from '../../contracts/test-database.js';
import { shownDatabase, tillkit, tillkitProcess, type Ran } from '../../support/command-line.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await emptyDatabase();
});
afterAll(() => database.drop());

const run = (...args: string[]): Promise<Ran> =>
  tillkit(args, { environment: { PAYMENTS_DATABASE_URL: database.url } });

describe('tillkit migrate', () => {
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

  it('prints JSON with --json', async () => {
    const { code, out } = await run('migrate', '--json');
    expect({ code, done: JSON.parse(out) }).toEqual({
      code: 0,
      done: { schema: 'tillkit', applied: [] },
    });
    const { out: printed } = await run('migrate', '--print', '--json');
    expect(JSON.parse(printed).sql).toBe((await run('migrate', '--print')).out);
  });

  it('runs as a process, with the database of a file of settings', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tillkit-cli-'));
    const file = join(folder, 'production.env');
    await writeFile(file, `# the shop\nPAYMENTS_DATABASE_URL="${database.url}"\n`);
    const args = ['migrate', '--env-file', file, '--schema', 'third', '--yes'];
    const exported = { PAYMENTS_DATABASE_URL: 'postgres://127.0.0.1:1/production' };
    expect(await tillkitProcess(args, { environment: exported })).toEqual({
      code: 0,
      out: expect.stringMatching(/^Schema "third": applied 000001[^\n]*\n$/),
      complaint: `This changes ${shownDatabase(database)}, schema "third".\n`,
    });
    expect(await run('migrate', '--env-file', join(folder, 'none.env'))).toMatchObject({
      code: 2,
      complaint: expect.stringMatching(/--env-file .*none\.env cannot be read \(ENOENT\): give/),
    });
    await rm(folder, { recursive: true });
  });

  it('names the setting of the database when there is none', async () => {
    expect(await tillkitProcess(['migrate'])).toEqual({
      code: 2,
      out: '',
      complaint: expect.stringContaining('PAYMENTS_DATABASE_URL'),
    });
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

describe('tillkit', () => {
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
    expect(await run('--version')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
    expect(await run()).toMatchObject({
      code: 2,
      complaint: expect.stringContaining('No command'),
    });
    expect(await run('fly')).toMatchObject({
      code: 2,
      complaint: expect.stringContaining("'fly'"),
    });
    const { code, complaint } = await run('fly', '--json');
    expect({ code, error: JSON.parse(complaint).error }).toEqual({
      code: 2,
      error: { code: 'USAGE', message: expect.stringContaining("'fly'") },
    });
  });
});
