import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { emptyDatabase, type TestDatabase } from '../../../test/contracts/test-database.js';
import { MIGRATIONS } from './migrations/index.js';
import { inspectSchema, migrateSchema, printSchema } from './schema-maintenance.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await emptyDatabase();
});
afterAll(() => database.drop());

const sql = async (text: string): Promise<void> => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(text);
  await client.end();
};

describe('The schema of a database', () => {
  it('is inspected without a change, migrated once, and refused when a newer version has broken it', async () => {
    const options = { connectionString: database.url };
    const before = await inspectSchema(options);
    expect(before).toEqual({
      serverVersion: expect.stringMatching(/^\d+\.?\d*/),
      schema: 'tillkit',
      pending: expect.arrayContaining(['000001.clock']),
      problem: null,
    });
    expect(await inspectSchema(options)).toEqual(before);
    const { schema, applied } = await migrateSchema(options);
    expect({ schema, applied }).toEqual({ schema: 'tillkit', applied: before.pending });
    expect(await migrateSchema(options)).toEqual({ schema: 'tillkit', applied: [] });
    expect((await inspectSchema(options)).pending).toEqual([]);
    await sql(
      `insert into tillkit.migration (id, name, checksum, breaks) values (${MIGRATIONS.length + 1}, 'later', 'x', true)`,
    );
    expect(await inspectSchema(options)).toMatchObject({
      pending: [],
      problem: expect.stringMatching(/too new for this version.*Install/s),
    });
  });

  it('is printed as SQL for any schema', () => {
    expect(printSchema('shop')).toContain('create table "shop".operation');
    expect(() => printSchema('No Such')).toThrow(/name of the schema/);
  });
});
